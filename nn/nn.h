#pragma once

// All of nn.

#include <minima/nn/activation.h>
#include <minima/nn/batch_norm.h>
#include <minima/nn/clone.h>
#include <minima/nn/conv.h>
#include <minima/nn/conv_variants.h>
#include <minima/nn/dropout.h>
#include <minima/nn/embedding.h>
#include <minima/nn/files.h>
#include <minima/nn/freeze.h>
#include <minima/nn/group_norm.h>
#include <minima/nn/init.h>
#include <minima/nn/interpolate.h>
#include <minima/nn/layer_norm.h>
#include <minima/nn/linear.h>
#include <minima/nn/list.h>
#include <minima/nn/loss.h>
#include <minima/nn/module.h>
#include <minima/nn/parameter_list.h>
#include <minima/nn/pooling.h>
#include <minima/nn/rectifier.h>
#include <minima/nn/sequential.h>
#include <minima/nn/shape.h>
#include <minima/nn/summary.h>
