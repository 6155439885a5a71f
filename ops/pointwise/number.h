#pragma once

#include <minima/tensor/scalar.h>
