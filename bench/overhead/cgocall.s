// This file lets cgocall be declared without a body.
