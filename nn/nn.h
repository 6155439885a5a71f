#pragma once

// All of nn but attention/, whose headers a program includes where it uses them.

// IWYU pragma: begin_exports
#include <minima/nn/clone.h>
#include <minima/nn/containers/list.h>
#include <minima/nn/containers/parameter_list.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/freeze.h>
#include <minima/nn/init/init.h>
#include <minima/nn/layers/activation.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/conv3d.h>
#include <minima/nn/layers/conv_transpose.h>
#include <minima/nn/layers/dropout.h>
#include <minima/nn/layers/embedding.h>
#include <minima/nn/layers/flatten.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/layers/pooling.h>
#include <minima/nn/layers/rearrange.h>
#include <minima/nn/loss/loss.h>
#include <minima/nn/loss/margin.h>
#include <minima/nn/module/module.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/nn/norm/group_norm.h>
#include <minima/nn/norm/instance_norm.h>
#include <minima/nn/norm/layer_norm.h>
#include <minima/nn/norm/rms_norm.h>
#include <minima/nn/recurrent/cells.h>
#include <minima/nn/recurrent/recurrent.h>
#include <minima/nn/save_load.h>
#include <minima/nn/summary.h>
// IWYU pragma: end_exports
