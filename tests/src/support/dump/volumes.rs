//! The nodes of k-DOPs and of swept spheres.

use std::collections::BTreeMap;

use super::super::forge::read_u32;
use super::{Dump, Kind};

impl Dump<'_> {
    /// All nodes of k-DOPs, with this many rows each.
    pub(super) fn kdop_nodes(&mut self, rows: usize) {
        let (k, tables) = (read_u32(self.file, self.root + 20) as usize, read_u32(self.file, self.root + 24));
        let end = self.at + 16 * rows;
        for node in 0.. {
            if self.at == end {
                break;
            }
            self.title(&format!("node[{node}]"));
            match tables {
                0 => (0..4).for_each(|_| self.kdop_list(k)),
                _ => self.kdop_lanes(k, tables),
            }
        }
        self.untitled = true;
    }

    fn kdop_list(&mut self, k: usize) {
        self.fields(&[("bounds", 4 * k, Kind::F32), ("child", 4, Kind::PairChild)]);
        self.field("padding", 4 * ((k + 1).next_multiple_of(16) - (k + 1)), Kind::Raw);
    }

    fn kdop_lanes(&mut self, k: usize, tables: u32) {
        let start = self.at;
        for axis in ["x", "y", "z"] {
            self.field(&format!("centre {axis}"), 16, Kind::F32);
        }
        self.field("children", 16, Kind::PairChild);
        (0..k).for_each(|i| self.field(&format!("extent {i}"), 16, Kind::F32));
        let shell = if tables == 1 { "extent beyond cone" } else { "profile" };
        (0..k).for_each(|i| self.field(&format!("{shell} {i}"), 16, Kind::F32));
        if tables == 1 {
            (0..k).for_each(|i| self.field(&format!("rings {i}"), 16, Kind::Hex));
        }
        self.fill_up(start + (self.at - start).next_multiple_of(64));
    }

    /// All nodes of swept spheres, with this many rows each.
    pub(super) fn swept_nodes(&mut self, rows: usize) {
        let (core, first, end) = (read_u32(self.file, self.root + 20), self.at, self.at + 16 * rows);
        let is_hybrid = core > 2;
        // In a hybrid: the rows where nodes start, and their kinds.
        let mut kinds = BTreeMap::from([(0, core & 3)]);
        for node in 0.. {
            if self.at == end {
                break;
            }
            let row = (self.at - first) / 16;
            let kind = if is_hybrid { kinds[&row] } else { core };
            let links = [0, 4, 8, 12].map(|slot| read_u32(self.file, self.at + 48 + slot));
            for link in links.into_iter().filter(|link| link >> 31 == 0) {
                kinds.insert(link as usize >> 2, link & 3);
            }
            self.title(&format!("node[{node}]"));
            self.swept_node(kind, if is_hybrid { Kind::HybridChild } else { Kind::PairChild });
        }
        self.untitled = true;
    }

    fn swept_node(&mut self, kind: u32, child: Kind) {
        let vector = |dump: &mut Self, name: &str| {
            ["x", "y", "z"].iter().for_each(|axis| dump.field(&format!("{name} {axis}"), 16, Kind::F32));
        };
        vector(self, "centre");
        self.fields(&[("children", 16, child), ("radius", 16, Kind::F32)]);
        ["u", "v"].iter().take(kind as usize).for_each(|axis| vector(self, axis));
    }
}
