interface Shape { readonly kind: string; area(): number }
const shapes: Array<Shape> = []; enum E { A = 1 } let z = <any>x as unknown;
