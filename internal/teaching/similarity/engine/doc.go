// Package engine finds copied work: it compares submissions, says how much of
// one is in the other, and how rare that is in the class. It knows nothing of
// databases, files or people.
//
// Two figures describe a pair. Match.Pct is the share of the shorter work that
// is also in the longer one, names and literals aside. The score, 0 to 100,
// weighs every shared fragment by the square of its rarity in the class, since
// in a small exercise most of what two students share is what everyone writes.
// Thresholds.Flagged wants both. docs/similarity.md says more.
//
// How a service uses it:
//
//   - After a submission, Fingerprint reads its files once; Prints.Encode makes
//     the row that is kept beside the submission's version. A document is
//     given as its extracted text with the language Words.
//   - An Index of all works of a task (with earlier terms) is filled by Decode
//     and Index.Add from those rows. Template holds what staff gave out; it
//     belongs to the index and not to the rows, so it may change later.
//     Work.Owners keeps apart what must not be matched.
//   - Index.Near lists the works that share something with the new one.
//     Compare finds the passages of a pair from the two rows, Index.Explain
//     puts the result into words, Page shows it beside the sources.
//   - As a class hands in, rarities change: Index.Score rates a known pair anew
//     in microseconds, from the index alone.
//   - Clusters and Index.Core tell who belongs together.
//
// What comes from students is hostile: every function takes time about linear
// in its input, bounded by MaxTokens, MaxFiles and MaxFileBytes, and recurses
// nowhere.
package engine
