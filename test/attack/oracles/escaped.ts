import { markup } from '../corpora/naughty-strings.ts'
import type { Oracle } from './seen.ts'

/** No page has markup that somebody sent, no header a line of theirs, and nobody is sent to another site by us. */
export const escaped: Oracle = ({ answer, line }) => {
  if (answer.headers.get('content-type')?.startsWith('text/html') === true && answer.body.includes(markup))
    return `has markup from outside: ${around(answer.body, markup)}`
  if (answer.cookies.some((cookie) => cookie.startsWith('a=b'))) return 'sets a cookie from outside'
  const to = answer.headers.get('location') ?? ''
  return to !== '' && (!/^\/(?![/\\])/.test(to) || line.includes(`to=${to}x`)) ? `leads to ${to}` : null
}

function around(text: string, part: string): string {
  const at = text.indexOf(part)
  return text.slice(Math.max(0, at - 80), at + 80)
}
