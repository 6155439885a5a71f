#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
