// gone
fn main() { let x: &'static str = "text"; for i in 0..10 { println!("{}", i); } }
