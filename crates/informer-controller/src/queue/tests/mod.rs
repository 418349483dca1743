mod metrics;
mod model;
mod places;
mod shell;
mod status;
