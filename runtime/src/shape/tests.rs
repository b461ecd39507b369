//! Tests of shapes against one triangle.
