"""Checks that transformers and PEFT read what minima writes: FOLDER holds what `test_models` leaves in
$MINIMA_KEEP_MODELS (tests/models/language/load_test.cpp), a folder for each model with its tokens and logits.

  MINIMA_KEEP_MODELS=/tmp/models build/cpu/tests/test_models --gtest_filter='LoadModels.*:LanguageLora.*'
  python3 scripts/check_transformers.py /tmp/models       (transformers, peft, safetensors from PyPI)
"""

import pathlib
import sys

import peft
import safetensors.torch
import torch
import transformers

worst = 0.0
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    if not (path / "logits.safetensors").exists():
        continue
    stored = safetensors.torch.load_file(path / "logits.safetensors")
    is_bert = '"bert"' in (path / "config.json").read_text()
    kind = transformers.AutoModel if is_bert else transformers.AutoModelForCausalLM
    net, report = kind.from_pretrained(path, output_loading_info=True, dtype=torch.float32)
    assert not report["missing_keys"] and not report["unexpected_keys"], (path, report)
    if (path / "adapter").exists():
        net = peft.PeftModel.from_pretrained(net, path / "adapter")
    with torch.no_grad():
        result = net.eval()(stored["tokens"])
    difference = ((result.last_hidden_state if is_bert else result.logits) - stored["y"]).abs().max().item()
    print(f"{path.name:24} {type(net).__name__:24} largest difference {difference:.2g}")
    worst = max(worst, difference)
sys.exit(worst > 1e-5)
