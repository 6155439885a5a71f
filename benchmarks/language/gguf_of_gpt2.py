"""Writes a folder of transformers' GPT-2 as a GGUF file without a tokenizer, for llama_cpp.cpp:

gguf_of_gpt2.py FOLDER OUT.gguf float32|bfloat16       (gguf, safetensors and torch from PyPI; matrices get the dtype)
"""
import json
import pathlib
import sys

import gguf
import safetensors.torch
import torch

folder, out, dtype = sys.argv[1:]
config = json.loads((pathlib.Path(folder) / "config.json").read_text())
state = safetensors.torch.load_file(pathlib.Path(folder) / "model.safetensors")
is_half = dtype == "bfloat16"
writer = gguf.GGUFWriter(out, "gpt2")
writer.add_context_length(config["n_positions"])
writer.add_embedding_length(config["n_embd"])
writer.add_block_count(config["n_layer"])
writer.add_feed_forward_length(config.get("n_inner") or 4 * config["n_embd"])
writer.add_head_count(config["n_head"])
writer.add_layer_norm_eps(config["layer_norm_epsilon"])
writer.add_file_type(gguf.LlamaFileType.MOSTLY_BF16 if is_half else gguf.LlamaFileType.ALL_F32)
writer.add_vocab_size(config["vocab_size"])
writer.add_tokenizer_model("no_vocab")
names = {"ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm",
         "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
for name, tensor in state.items():
    name = name.removeprefix("transformer.")
    head, kind = name.rsplit(".", 1)
    is_matrix = tensor.dim() == 2
    if head.startswith("h."):
        layer, part = head.split(".", 2)[1:]
        head = f"blk.{layer}.{names[part]}"
        tensor = tensor.T if is_matrix else tensor  # Conv1D's are [in, out]
    else:
        head = {"wte": "token_embd", "wpe": "position_embd", "ln_f": "output_norm", "lm_head": "output"}[head]
    tensor = tensor.float().contiguous()
    if is_half and is_matrix and head != "position_embd":
        bits = tensor.bfloat16().view(torch.uint8).numpy()
        writer.add_tensor(f"{head}.{kind}", bits, raw_dtype=gguf.GGMLQuantizationType.BF16)
    else:
        writer.add_tensor(f"{head}.{kind}", tensor.numpy())
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
