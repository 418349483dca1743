mod faults;
mod http1;
mod http2;
mod support;
