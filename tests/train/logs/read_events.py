"""Reads the event files of PythonTensorBoard.ReadsAllKindsOfSummaries as TensorBoard does.

    read_events.py FOLDER

Ends with 77 where TensorBoard is not installed.
"""

import os
import struct
import sys

try:
    from tensorboard.backend.event_processing import data_provider, event_accumulator, plugin_event_multiplexer
    from tensorboard.context import RequestContext
    from tensorboard.plugins import base_plugin
    from tensorboard.plugins.hparams import api_pb2, backend_context, list_session_groups, metadata
except ImportError as error:
    print(error)
    sys.exit(77)

folder = sys.argv[1]


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found!r} instead of {expected!r}")


# One run, as its accumulator holds it.
events = event_accumulator.EventAccumulator(os.path.join(folder, "fast"), size_guidance={"tensors": 0})
events.Reload()
tags = events.Tags()
check("scalars", [(e.step, e.value) for e in events.Scalars("train/loss")],
      [(0, 1.0), (10, 0.5), (20, struct.unpack("f", struct.pack("f", 1 / 3))[0])])
histogram = events.Histograms("weights")[0]
check("histogram's step", histogram.step, 7)
value = histogram.histogram_value
check("histogram", (value.min, value.max, value.num, value.sum, value.sum_squares), (0, 3, 4, 6, 14))
check("buckets", (list(value.bucket_limit), list(value.bucket)), ([1, 2, 3], [1, 1, 2]))
image = events.Images("sample")[0]
check("image", (image.step, image.width, image.height, image.encoded_image_string[:4]), (3, 3, 2, b"\x89PNG"))
text = events.Tensors("note")[0]
check("text", (text.step, list(text.tensor_proto.string_val)), (8, [b"a *text*"]))
check("text's plugin", list(events.PluginTagToContent("text")), ["note"])
check("hyper-parameters", sorted(events.PluginTagToContent("hparams")),
      [metadata.EXPERIMENT_TAG, metadata.SESSION_END_INFO_TAG, metadata.SESSION_START_INFO_TAG])

# Both runs, as the HPARAMS tab lists them, and the other plugins find their data.
multiplexer = plugin_event_multiplexer.EventMultiplexer().AddRunsFromDirectory(folder)
multiplexer.Reload()
provider = data_provider.MultiplexerDataProvider(multiplexer, folder)
request = RequestContext()
context = backend_context.Context(base_plugin.TBContext(data_provider=provider))
experiment_id = ""
experiment = context.experiment_from_metadata(
    request, experiment_id, include_metrics=True,
    hparams_run_to_tag_to_content=context.hparams_metadata(request, experiment_id),
    data_provider_hparams=[])
check("experiment", sorted(info.name for info in experiment.hparam_infos), ["lr", "nesterov", "optimizer"])
wanted = api_pb2.ListSessionGroupsRequest(
    start_index=0, slice_size=10, allowed_statuses=[api_pb2.STATUS_SUCCESS],
    col_params=[api_pb2.ColParams(metric=api_pb2.MetricName(tag="test/accuracy"), order=api_pb2.ORDER_DESC)])
listed = list_session_groups.Handler(
    request_context=request, backend_context=context, experiment_id=experiment_id, request=wanted).run()
rows = [({name: value.number_value if value.HasField("number_value") else value.bool_value if value.HasField("bool_value")
          else value.string_value for name, value in group.hparams.items()}, round(group.metric_values[0].value, 3))
        for group in listed.session_groups]
check("runs", rows, [({"lr": 0.1, "optimizer": "adam", "nesterov": True}, 0.6),
                     ({"lr": 0.01, "optimizer": "adam", "nesterov": True}, 0.51)])
for plugin, kind, tag in [("scalars", provider.list_scalars, "train/loss"), ("histograms", provider.list_tensors, "weights"),
                          ("text", provider.list_tensors, "note"), ("images", provider.list_blob_sequences, "sample")]:
    found = kind(request, experiment_id=experiment_id, plugin_name=plugin)
    check(f"{plugin} of the runs", sorted(run for run in found if tag in found[run]), ["fast", "slow"])
