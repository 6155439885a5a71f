# shellcheck shell=bash
# The plan of scripts/gpu_check.sh: its groups in the order in which they run. Read by that script and by pack.sh.
#
#   group NAME SECONDS KIND ARGUMENT…   SECONDS is the group's budget: it starts only if that much time is left, and is stopped
#                                       after it. KIND is a function of kinds.sh
#
# All budgets down to torch-resnet fit the first command. What only a GPU can tell, and decides most, comes first.

plan() {
  local cuda=MINIMA_TEST_DEVICE=cuda blocking=MINIMA_LAUNCH_BLOCKING=1 reference='Cases.MatchesTheReference'
  # The driver, and the figures that decide what the time model says of a training step.
  group libraries 40 libraries
  group driver 5 driver
  group kernels 40 prices kernels minima-prices --kernels
  # Is it right?
  group first-kernels 50 tests ops "Add$reference:Matmul$reference:Conv2d$reference:ScaledDotProductAttention$reference" $cuda $blocking
  group tensor 30 tests tensor 'Gpu*'
  group train 45 tests train 'Gpu*'
  group tables 85 tests ops "*$reference" $cuda
  # Training steps, and PyTorch's on the same GPU.
  group gpt2 45 rows minima benchmarks '^cuda_table/gpt2'
  group resnet50 60 rows minima benchmarks '^cuda_table/resnet50_step_bf16'
  group torch-gpt2 30 python PyTorch benchmarks/torch_gpt2.py --steps 10
  group torch-resnet 30 python PyTorch benchmarks/torch_resnet.py --steps 20 --dtype bf16
  # The rest.
  group prices 30 prices prices minima-prices
  group amp 30 tests amp 'Gpu*'
  group data 30 tests data 'Gpu*'
  group profiler 45 tests profiler 'Gpu*'
  group distributed 60 tests distributed 'Nccl*'
  group benchmarks 60 rows minima benchmarks '^cuda_table/[^gr]|^cuda_table/gelu'
  group libtorch 60 libtorch
  group torch-gpt2-compiled 100 python 'PyTorch compiled' benchmarks/torch_gpt2.py --steps 10 --compile
  group torch-resnet-compiled 100 python 'PyTorch compiled' benchmarks/torch_resnet.py --steps 20 --dtype bf16 --compile
  group ops 45 tests ops 'Gpu*'
  group operators 150 tests ops "*Cases.*-*$reference" $cuda
  group operators-blocking 30 tests ops 'Add*Cases.*:Softmax*Cases.*' $cuda $blocking
  group distributions 20 tests distributions 'Gpu*'
  group inference 20 tests inference 'Gpu*'
  # Without caching every tensor is an allocation of its own, so an overrun is detected. cuDNN's kernels are NVIDIA's to check.
  group memcheck 60 sanitize memcheck "*$reference:-*Attention*:*Conv*"
  group racecheck 60 sanitize racecheck "Sum*$reference:Softmax*$reference:LayerNorm*$reference:CrossEntropy*$reference:Cumsum*$reference:Sort*$reference:Topk*$reference"
  group initcheck 60 sanitize initcheck "Add*$reference:BatchNorm*$reference:Embedding*$reference:Gather*$reference:MaxPool2d*$reference"
  group memcheck-cudnn 60 sanitize memcheck "*Attention*$reference:*Conv*$reference"
  local fashion=(example fashion_mnist --device cuda --data "$fashion_data" --out "$work/fashion_mnist")
  group example-fashion_mnist 60 "${fashion[@]}" --epochs 2
  group example-fashion_mnist-fp16 30 "${fashion[@]}" --epochs 1 --amp fp16
  group example-fashion_mnist-capture 30 "${fashion[@]}" --epochs 1 --capture --checkpoint --budget 1GiB
  group resnet50-fp16 60 rows minima benchmarks '^cuda_table/resnet50_step_fp16'
  # Batch sizes fit the GPU's memory by themselves.
  group example-resnet 60 example resnet --device cuda --steps 30
  group example-resnet-bf16 45 example resnet --device cuda --steps 30 --amp bf16 --channels-last
  # Thousands of allocations in each step: no page may come from the driver, or go back to it.
  group example-resnet-budget 60 example resnet --device cuda --steps 10 --depth 152 --amp bf16 --channels-last --batch-size 64 --budget 6GiB
  local gpt=(example gpt --device cuda --text docs/benchmarks.md --vocabulary 512 --length 128 --sample 80 --steps 200 --out "$work/gpt")
  group example-gpt 60 "${gpt[@]}"
  group example-gpt-capture 45 "${gpt[@]}" --model gpt2 --optimizer adamw --amp bf16 --capture
  group memory-table 120 example memory_table cuda
  # A process for each GPU.
  group nccl-resnet 120 ranks resnet --steps 20 --amp bf16 --channels-last
  group nccl-rank_memory 120 ranks rank_memory cuda
  group nccl-gpt 120 ranks gpt --text docs/benchmarks.md --vocabulary 512 --length 128 --steps 100 --sample 0 --out "$work/gpt"
}

# Programs that the plan starts, by name. A pack has these; rank_memory is for several GPUs.
plan_programs() {
  # shellcheck disable=SC2317,SC2329  # called by plan
  group() {
    case $3 in
      libraries) echo minima-info ;;
      tests) echo "test_$4" ;;
      prices | rows) echo "$5" ;;
      sanitize) echo test_ops ;;
      example) echo "$4" ;;
    esac
  }
  plan | sort -u
}
