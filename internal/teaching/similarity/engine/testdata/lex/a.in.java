import java.util.List; // gone
public final class A<T> { /* gone
too */
    private static final double RATE = 1.5e-3, B = 0xFFL;
    String text = """
        a "block" of text
        """;
    @Override public int sum(List<Integer> xs) {
        int s = 0; for (int x : xs) { s += x >>> 2; }
        while (s != 0 && true) { s--; }
        char c = '\''; return s;
    }
}
