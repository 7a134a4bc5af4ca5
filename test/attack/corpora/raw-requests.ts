import type { Raw } from '../generators/attack.ts'
import { phrases } from './words.ts'

const lines = (...parts: string[]): string => parts.join('\r\n')
const json = 'Content-Type: application/json'
const head = 'POST /api/v1/dev/intents HTTP/1.1'
const post = (...parts: string[]): string =>
  lines(head, 'Host: a', 'Authorization: Bearer ~key~', 'X-Idempotency-Key: ~tag~', json, ...parts)
const sized = (length: string, ...more: string[]): string =>
  post(`Content-Length: ${length}`, ...more, '', '{"amount":5}')
const coded = (coding: string, ...chunks: string[]): string =>
  post(`Transfer-Encoding: ${coding}`, '', ...chunks, '0', '', '')
const chunked = (...chunks: string[]): string => coded('chunked', ...chunks)

/** Invalid, or ending where the parser decides. Each is sent alone and must be refused. */
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
  ...phrases('Host: b | X: b\r\n folded | : empty | X\0Y: b | X: b\0c | no colon').map(
    (line) => `GET / HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n`,
  ),
  ...['Host : a', ' Host: a'].map((line) => `GET / HTTP/1.1\r\n${line}\r\n\r\n`),
  `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(150)}\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(2500)}\r\n`,
  `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`,
  `GET /${'y'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  ...['12, 12', '+12', '0x0c', '-1', '1e1', '99999999999999999999'].map((length) => sized(length)),
  ...['chunked, identity', 'xchunked', 'gzip, chunked'].map((coding) => coded(coding)),
  sized('12', 'Content-Length: 13'),
  sized('12', 'Expect: 999-what'),
  sized('12', 'X-Idempotency-Key: another'),
  sized('12', 'Authorization: Bearer ~key~'),
  post('Content-Length: 12', 'Transfer-Encoding: chunked', '', '0', '', ''),
  post('Transfer-Encoding: chunked', 'Content-Length: 3', '', 'c', '{"amount":5}', '0', '', ''),
  post('Transfer-Encoding : chunked', '', '0', '', ''),
  post('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', '', '0', '', ''),
  chunked('fffffffffffffffff', '{"amount":5}'),
  chunked('-1', '{"amount":5}'),
  post('Transfer-Encoding: chunked', '', 'c', '{"amount":5}0', '', ''),
  chunked(`c;${'e'.repeat(20_000)}`, '{"amount":5}'),
]

export const acceptedRequests: readonly Raw[] = [
  { expected: ['keyless'], text: 'GET / HTTP/1.0\r\n\r\n' },
  ...[
    post('Transfer-Encoding: chunked', '', 'c;ext="a"', '{"amount":5}', '0', 'X-Idempotency-Key: b', '', ''),
    sized('12', 'Expect: 100-continue'),
    sized('12', 'Upgrade: websocket', 'Connection: Upgrade'),
  ].map((text): Raw => ({ expected: ['keyed'], text })),
]

export const unfinishedRequests = ['\r\n\r\n', post('Content-Length: 200', '', '{"amount":5,"label":"~tag~"')]
const get = (path: string): string => lines(`GET ${path} HTTP/1.1`, 'Host: a', '', '')

export const pipelinedRequests: readonly Raw[] = [
  { expected: ['refused', 'refused'], text: sized('5') },
  { expected: ['refused', 'keyless'], text: post('Content-Length: 0', '', get('/api/v1/dev/intents')) },
  { expected: ['keyless', 'keyless', 'keyless'], text: get('/healthz') + get('/readyz') + get('/') },
]
