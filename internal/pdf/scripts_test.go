package pdf

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
)

// What people write in five scripts.
const (
	chinese  = "小龙 李，数据结构作业"
	japanese = "データ構造のレポート（田中さくら）"
	korean   = "김민준의 자료 구조 보고서"
	hebrew   = "מרים לוי: שלום עולם (מבנה נתונים) 2026"
	arabic   = "محمد عبد الله: السلام عليكم، هياكل البيانات"
)

var scripts = []string{chinese, japanese, korean, hebrew, arabic}

const formulas = `# Mathematics 数学

The energy is $E = mc^2$, a root is $\sqrt{x_1^2 + x_2^2}$ and a share $\frac{a+b}{2n}$; it costs $5 and not $6.

$$
\sum_{i=1}^{n} i = \frac{n(n+1)}{2} \qquad \int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}
$$

\[ \lim_{n \to \infty} \left( 1 + \frac{1}{n} \right)^n = e \]

$$\begin{pmatrix} a & b \\ c & d \end{pmatrix}$$

- $\alpha \le \beta \iff \forall x \in \mathbb{R}: f'(x) \ne 0$
- $\hat{y} = \bar{x} + \vec{v} \cdot \nabla \phi$, $\binom{n}{k}$, $\sqrt[3]{8} = 2$, $a_{ij}^{2}$
`

// photo is a picture as a camera makes it.
func photo() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 640, 400))
	for y := range 400 {
		for x := range 640 {
			sky := uint8(255 - y/3)
			img.Set(x, y, color.RGBA{sky / 2, sky - uint8(x/10), sky, 255})
			if (x-320)*(x-320)+(y-200)*(y-200) < 9000 {
				img.Set(x, y, color.RGBA{240, 180, uint8(x / 4), 255})
			}
		}
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, img, nil)
	return b.Bytes()
}

func everything() Document {
	cover := testCover()
	cover.Lines = nil
	for i, name := range scripts {
		cover.Lines = append(cover.Lines, KeyValue{[]string{"Chinese", "Japanese", "Korean", "Hebrew", "Arabic"}[i], name + " (user" + string(rune('1'+i)) + ")"})
	}
	doc := testDocument(
		Section{Title: "Cover", Cover: cover},
		Section{Title: "程序", File: bytesFile("程序.py", Code, []byte(scriptCode()))},
		Section{Title: "Mathematics", File: bytesFile("math.md", Markdown, []byte(formulas+scriptProse()))},
		Section{Title: "Notebook", File: bytesFile("a.ipynb", Code, testNotebook())},
		Section{Title: "Photograph", File: bytesFile("photo.jpg", Image, photo())},
		Section{Title: "Essay", File: bytesFile("essay.pdf", PDF, somePDF(20))},
	)
	doc.Header, doc.Footer = "COS10001 · 任务 1", strings.Join(scripts[:2], " · ")
	return doc
}

func scriptCode() string {
	var b strings.Builder
	for _, s := range scripts {
		b.WriteString("print(\"" + s + "\")  # " + s + "\n")
	}
	return b.String()
}

func scriptProse() string {
	return "\n\n" + strings.Join(scripts, "\n\n") + "\n\n1. " + hebrew + "\n2. " + arabic + "\n\n> " + arabic + "\n"
}
