package corpus

// templates are what a class was given: reading input, drawing a menu.
var templates = map[string]string{
	".java": `class Given {
    static int[] readAll(java.util.Scanner in, int count) {
        int[] got = new int[count];
        for (int k = 0; k < count; k++) {
            System.out.print("Value " + (k + 1) + ": ");
            while (!in.hasNextInt()) {
                System.out.println("That was no number, try again");
                in.next();
            }
            got[k] = in.nextInt();
        }
        return got;
    }
    static void menu(String title, String[] choices) {
        System.out.println("=== " + title + " ===");
        for (int k = 0; k < choices.length; k++) System.out.println((k + 1) + ") " + choices[k]);
        System.out.print("Your choice: ");
    }
}
`,
	".py": `def read_all(count):
    got = []
    while len(got) < count:
        answer = input("Value " + str(len(got) + 1) + ": ")
        try:
            got.append(int(answer))
        except ValueError:
            print("That was no number, try again")
    return got

def menu(title, choices):
    print("=== " + title + " ===")
    for k, choice in enumerate(choices):
        print(str(k + 1) + ") " + choice)
    return int(input("Your choice: "))

`,
	".c": `#include <stdlib.h>
static int read_all(int *got, int count) {
    char line[80];
    int k = 0;
    while (k < count && fgets(line, sizeof line, stdin) != NULL) {
        char *rest;
        long v = strtol(line, &rest, 10);
        if (rest == line) { fprintf(stderr, "That was no number, try again\n"); continue; }
        got[k++] = (int) v;
    }
    return k;
}
static void menu(const char *title, const char **choices, int n) {
    printf("=== %s ===\n", title);
    for (int k = 0; k < n; k++) printf("%d) %s\n", k + 1, choices[k]);
}
`,
	".cs": `static class Given {
    public static int[] ReadAll(int count) {
        var got = new int[count];
        for (var k = 0; k < count; ) {
            Console.Write($"Value {k + 1}: ");
            if (int.TryParse(Console.ReadLine(), out got[k])) k++;
            else Console.WriteLine("That was no number, try again");
        }
        return got;
    }
    public static void Menu(string title, string[] choices) {
        Console.WriteLine("=== " + title + " ===");
        for (var k = 0; k < choices.Length; k++) Console.WriteLine($"{k + 1}) {choices[k]}");
    }
}
`,
	".js": `const readline = require("readline");
async function readAll(count) {
  const screen = readline.createInterface({ input: process.stdin });
  const got = [];
  for await (const line of screen) {
    const v = Number.parseInt(line, 10);
    if (Number.isNaN(v)) { console.error("That was no number, try again"); continue; }
    got.push(v);
    if (got.length === count) break;
  }
  return got;
}
function menu(title, choices) {
  console.log("=== " + title + " ===");
  choices.forEach((choice, k) => console.log((k + 1) + ") " + choice));
}
`,
}
