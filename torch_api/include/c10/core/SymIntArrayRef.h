#pragma once

#include <c10/core/SymInt.h>
#include <c10/util/ArrayRef.h>
