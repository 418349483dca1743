mod faults;
mod http1;
mod http2;
mod slow;
mod support;
