import type { Raw } from '../generators/attack.ts'

const line = (...lines: string[]): string => lines.join('\r\n')
const post = 'POST /api/v1/dev/intents HTTP/1.1'
const json = 'Content-Type: application/json'
const authorized = line('Host: a', 'Authorization: Bearer ~key~', 'X-Idempotency-Key: ~mark~', json)

/** Bytes on a connection that are no request of ours, or whose end two readers see in two places. Each is sent alone, and refused. */
export const refusedRequests: readonly string[] = [
  '\0\0\0\0',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET\r\n\r\n',
  'GET / \r\n\r\n',
  'GET / HTTP/0.9\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/2.0\r\nHost: a\r\n\r\n',
  'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
  'GET /api/v1/dev/intents HTTP/1.1\nHost: a\n\n',
  'G\0T / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /\xff\xfe HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n',
  'CONNECT 127.0.0.1:~trap~ HTTP/1.1\r\nHost: 127.0.0.1:~trap~\r\n\r\n',
  'CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n',
  'TRACE / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ~key~\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
  'get / HTTP/1.1\r\nHost: a\r\n\r\n',
  'NONSENSE / HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
  'GET / HTTP/1.1\r\n Host: a\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n folded\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nX\0Y: b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n',
  `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(150)}\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(2500)}\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`,
  `GET /${'y'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  line(post, authorized, 'Content-Length: 12', 'Content-Length: 13', '', '{"amount":5}'),
  line(post, authorized, 'Content-Length: 12, 12', '', '{"amount":5}'),
  line(post, authorized, 'Content-Length: +12', '', '{"amount":5}'),
  line(post, authorized, 'Content-Length: 0x0c', '', '{"amount":5}'),
  line(post, authorized, 'Content-Length: -1', '', '{"amount":5}'),
  line(post, authorized, 'Content-Length: 1e1', '', '{"amount":5}'),
  line(post, authorized, 'Content-Length: 99999999999999999999', '', '{"amount":5}'),
  line(post, authorized, 'Content-Length: 12', 'Transfer-Encoding: chunked', '', '0', '', ''),
  line(
    post,
    authorized,
    'Transfer-Encoding: chunked',
    'Content-Length: 3',
    '',
    'c',
    '{"amount":5}',
    '0',
    '',
    '',
  ),
  line(post, authorized, 'Transfer-Encoding: chunked, identity', '', '0', '', ''),
  line(post, authorized, 'Transfer-Encoding: xchunked', '', '0', '', ''),
  line(post, authorized, 'Transfer-Encoding : chunked', '', '0', '', ''),
  line(post, authorized, 'Transfer-Encoding: gzip, chunked', '', '0', '', ''),
  line(post, authorized, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', '', '0', '', ''),
  line(post, authorized, 'Transfer-Encoding: chunked', '', 'fffffffffffffffff', '{"amount":5}', '0', '', ''),
  line(post, authorized, 'Transfer-Encoding: chunked', '', '-1', '{"amount":5}', '0', '', ''),
  line(post, authorized, 'Transfer-Encoding: chunked', '', 'c', '{"amount":5}0', '', ''),
  line(
    post,
    authorized,
    'Transfer-Encoding: chunked',
    '',
    `c;${'e'.repeat(20_000)}`,
    '{"amount":5}',
    '0',
    '',
    '',
  ),
  line(post, authorized, 'Content-Length: 12', 'Expect: 999-what', '', '{"amount":5}'),
  line(
    post,
    'Host: a',
    'Authorization: Bearer ~key~',
    'Authorization: Bearer ~key~',
    json,
    'X-Idempotency-Key: ~mark~',
    'Content-Length: 12',
    '',
    '{"amount":5}',
  ),
  line(post, authorized, 'X-Idempotency-Key: another', 'Content-Length: 12', '', '{"amount":5}'),
]

/** What looks odd and is one request all the same. */
export const takenRequests: readonly Raw[] = [
  { dues: ['keyless'], text: 'GET / HTTP/1.0\r\n\r\n' },
  {
    dues: ['keyed'],
    text: line(
      post,
      authorized,
      'Transfer-Encoding: chunked',
      '',
      'c;ext="a"',
      '{"amount":5}',
      '0',
      'X-Idempotency-Key: other',
      '',
      '',
    ),
  },
  {
    dues: ['keyed'],
    text: line(post, authorized, 'Content-Length: 12', 'Expect: 100-continue', '', '{"amount":5}'),
  },
  {
    dues: ['keyed'],
    text: line(
      post,
      authorized,
      'Content-Length: 12',
      'Upgrade: websocket',
      'Connection: Upgrade',
      '',
      '{"amount":5}',
    ),
  },
]

/** What lacks its end: nobody can answer yet. */
export const unfinishedRequests: readonly string[] = [
  '\r\n\r\n',
  line(post, authorized, 'Content-Length: 200', '', '{"amount":5,"label":"~mark~"'),
]

/** Several at once, or what one reader takes for several. */
export const pipelinedRequests: readonly Raw[] = [
  {
    dues: ['refused', 'refused'],
    text: line(post, authorized, 'Content-Length: 5', '', '{"amount":5}'),
  },
  {
    dues: ['refused', 'keyless'],
    text: line(
      post,
      authorized,
      'Content-Length: 0',
      '',
      'GET /api/v1/dev/intents HTTP/1.1',
      'Host: a',
      '',
      '',
    ),
  },
  {
    dues: ['keyless', 'keyless', 'keyless'],
    text: line(
      'GET /healthz HTTP/1.1',
      'Host: a',
      '',
      'GET /readyz HTTP/1.1',
      'Host: a',
      '',
      'GET / HTTP/1.1',
      'Host: a',
      '',
      '',
    ),
  },
]
