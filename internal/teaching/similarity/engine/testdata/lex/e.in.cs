#region gone
using System;
class P { string a = @"c:\x ""y"""; string b = $"{a} {1}"; string c = """raw "x" text""";
  int Get() { foreach (var x in xs) { x ??= 2; } return a?.Length ?? 0; } }
