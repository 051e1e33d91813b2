import { describe, expect, it } from '@jest/globals';
import { htmlOf, textOf } from './html-text.js';

describe('[AD-9] text and the HTML of Plane', () => {
  it.each(['', 'one', 'a\nb', 'a\n\nb\nc', '<script>alert(1)</script> & "x" \'y\'', '&lt;', 'a < b > c'])(
    'gives %j back as it was written',
    (text) => expect(textOf(htmlOf(text))).toBe(text),
  );

  it('lets no markup of a caller through', () => {
    expect(htmlOf('<img src=x onerror="x">')).toBe('<p>&lt;img src=x onerror=&quot;x&quot;&gt;</p>');
  });

  it('reads lists, breaks, entities and tables as lines', () => {
    const html =
      '<h2>Title</h2><ul><li>one</li><li>two<br/>more</li></ul><p>a&nbsp;b &amp;lt;</p><p></p><p class="x">end</p>';
    expect(textOf(html)).toBe('Title\n- one\n- two\nmore\na b &lt;\n\nend');
    expect(textOf(undefined)).toBe('');
  });

  it('takes no longer for what is no HTML', () => {
    const began = performance.now();
    textOf('<'.repeat(1_000_000));
    textOf('<li '.repeat(250_000));
    textOf('\n'.repeat(1_000_000));
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
