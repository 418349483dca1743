//! All that reads and keeps objects together.

mod torture;
