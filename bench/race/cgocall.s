// This file lets Cgocall be declared without a body.
