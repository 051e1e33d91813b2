import { describe, expect, it } from '@jest/globals';
import { writtenText } from './written-text.js';

describe('[AD-16] a text for Slack', () => {
  it('has no sign left by which Slack calls or links', () => {
    expect(writtenText('<!channel> & <@U1>')).toBe('&lt;!channel&gt; &amp; &lt;@U1&gt;');
    expect(writtenText('&lt;!channel&gt;')).toBe('&amp;lt;!channel&amp;gt;');
  });

  it('is otherwise what it was', () => {
    const text = '*bold* `code`\n• https://x.example/a?b=c 🙂 ';
    expect(writtenText(text)).toBe(text);
  });

  it('calls those who are mentioned first', () => {
    expect(writtenText('look', ['U1', 'W2'])).toBe('<@U1> <@W2> look');
  });
});
