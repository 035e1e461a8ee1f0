// Compares the files of a folder with Dolos and prints [left, right, similarity] for each pair.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [dir, language, given] = process.argv.slice(2);
const lib = createRequire(process.cwd() + "/").resolve("@dodona/dolos-lib");
const { Dolos } = await import(pathToFileURL(lib).href);
const paths = readdirSync(dir).map((name) => dir + "/" + name).filter((path) => path !== given);
const report = await new Dolos({ language }).analyzePaths(paths, given || undefined);
console.log(JSON.stringify(report.allPairs().map((p) => [p.leftFile.path, p.rightFile.path, p.similarity])));
