#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
