import { body, envelope } from './good.ts'
import { bad, hmac, newerSecret, newestSecret, now, secret, sign } from './vector.ts'

const timestamp = String(now)
const genuine = sign(secret, timestamp, body)
const digest = genuine.slice('sha256='.length)

/** A body that arrived otherwise than it was signed. */
const altered = (name: string, why: string, arrived: string | Buffer, signed: string | Buffer = body) =>
  bad(`altered: ${name}`, why, { body: signed, arrived })

/** Signed rightly for a time that must be refused. */
const atTime = (name: string, why: string, time: string) =>
  bad(`time: ${name}`, why, { body, timestamp: time })

/** A right request but for its signature. */
const signedAs = (name: string, why: string, given: string | null) =>
  bad(`signature: ${name}`, why, { body, headers: { 'X-Service-Signature': given } })

const spoiled = `${digest[0] === '0' ? '1' : '0'}${digest.slice(1)}`

/** What an endpoint must refuse. */
export const badVectors = [
  altered('one digit', 'an amount was raised', body.replace('50000', '90000')),
  altered('one bit', 'the last brace', Buffer.from(body.slice(0, -1) + '|')),
  altered('a blank at the end', 'the bytes count, not what they mean', `${body} `),
  altered('a line end lost', 'the body must not be trimmed', body, `${body}\n`),
  altered('line ends', 'CRLF is not LF', '{\n"id":"a-b"\n}', '{\r\n"id":"a-b"\r\n}'),
  altered(
    're-serialised with blanks',
    'the raw body is signed, not the parsed one',
    JSON.stringify(JSON.parse(body), null, 2),
  ),
  altered(
    're-serialised without escapes',
    'the parsed one has lost them',
    '{"id":"a-b","label":"café"}',
    String.raw`{"id":"a-b","label":"caf\u00e9"}`,
  ),
  altered(
    'keys in another order',
    'the same data, other bytes',
    '{"event":"order.new","id":"a-b"}',
    '{"id":"a-b","event":"order.new"}',
  ),
  altered(
    'normalised',
    'é as one character is not e and an accent',
    '{"label":"e\u0301"}',
    '{"label":"\u00e9"}',
  ),
  altered('byte order mark lost', 'some readers drop it', '{"id":"a-b"}', '\ufeff{"id":"a-b"}'),
  altered(
    'a byte that is no text',
    'read as text, it looks like the U+FFFD that was signed',
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    '{"a":"\ufffd"}',
  ),
  altered('emptied', 'nothing is left of it', ''),
  altered('sandbox', 'a test event made a live one', body.replace('"sandbox":true', '"sandbox":false')),

  bad('time: changed', 'it is part of what is signed', {
    body,
    headers: { 'X-Service-Signature': sign(secret, String(now - 1), body) },
  }),
  atTime('301 s old', 'replayed', String(now - 301)),
  atTime('301 s ahead', 'signed for later', String(now + 301)),
  atTime('a day old', 'replayed', String(now - 86_400)),
  atTime('zero', 'long ago', '0'),
  atTime('in milliseconds', 'seconds are sent', `${timestamp}000`),
  atTime('beyond 64 bits', 'no number that any program could compare', '99999999999999999999999999'),
  atTime('empty', 'no time', ''),
  atTime('a word', 'no number', 'now'),
  atTime('not a number', 'a comparison with it is never true', 'NaN'),
  atTime('with a fraction', 'digits only; else the dot could move between time and body', `${timestamp}.5`),
  atTime('with a sign', 'digits only', `+${timestamp}`),
  atTime('negative', 'digits only', `-${timestamp}`),
  atTime('with an exponent', 'digits only', '1795246509e0'),
  atTime('hexadecimal', 'digits only', `0x${now.toString(16)}`),
  atTime('with an underscore', 'digits only', '1_795_246_509'),
  atTime('with a line end', 'digits only, to the very end', `${timestamp}\n`),
  atTime(
    'other digits',
    'ASCII digits only',
    timestamp.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
  ),
  atTime('a date', 'Unix time only', '2026-11-21T07:35:09Z'),
  bad('time: missing', 'without it nothing can be checked', {
    body,
    headers: { 'X-Service-Timestamp': null },
  }),
  bad('time: missing, signed without', 'a missing header is not an empty one', {
    body,
    headers: { 'X-Service-Timestamp': null, 'X-Service-Signature': sign(secret, '', body) },
  }),

  signedAs('one digit changed', 'the first of the digest', `sha256=${spoiled}`),
  signedAs('of another secret', 'an endpoint has its own', sign(newerSecret, timestamp, body)),
  signedAs(
    'of the secret as bytes',
    'the key is the text of the secret, not what its hex stands for',
    sign(Buffer.from(secret, 'hex'), timestamp, body),
  ),
  signedAs('of the body alone', 'the time is signed too', `sha256=${hmac(secret, body).toString('hex')}`),
  signedAs(
    'without the dot',
    'a dot stands between',
    `sha256=${hmac(secret, `${timestamp}${body}`).toString('hex')}`,
  ),
  signedAs('of another body', 'taken from another event', sign(secret, timestamp, envelope({ amount: 1 }))),
  signedAs('without prefix', 'sha256= belongs to it', digest),
  signedAs('with another prefix', 'sha256= and no other', `sha1=${digest}`),
  signedAs('with a prefix in capitals', 'sha256= as it is', `SHA256=${digest}`),
  signedAs('in capitals', 'lower-case hex is what is sent', `sha256=${digest.toUpperCase()}`),
  signedAs('in base64', 'hex is what is sent', `sha256=${Buffer.from(digest, 'hex').toString('base64')}`),
  signedAs('half of it', '64 digits', `sha256=${digest.slice(0, 32)}`),
  signedAs('one digit short', '64 digits', `sha256=${digest.slice(0, -1)}`),
  signedAs('one digit more', '64 digits', `sha256=${digest}0`),
  signedAs(
    'with a letter beyond ASCII',
    'as many characters, but not as many bytes; it must not raise an error',
    `sha256=${digest.slice(0, -1)}é`,
  ),
  signedAs('the prefix alone', 'no digest', 'sha256='),
  signedAs('empty', 'no signature', ''),
  signedAs('commas', 'no signature', ',,'),
  signedAs('missing', 'no signature', null),

  bad('previous: of unknown secrets', 'each is a full signature, and none is ours', {
    body,
    headers: {
      'X-Service-Signature': sign(newestSecret, timestamp, body),
      'X-Service-Signature-Previous': `${sign(newerSecret, timestamp, body)},${sign('', timestamp, body)}`,
    },
  }),
  bad('previous: of another body', 'it must fit this body too', {
    body,
    headers: {
      'X-Service-Signature': sign(newerSecret, timestamp, body),
      'X-Service-Signature-Previous': sign(secret, timestamp, envelope({ amount: 1 })),
    },
  }),
  bad('previous: too old', 'the tolerance is the same for every signature', {
    body,
    timestamp: String(now - 301),
    headers: {
      'X-Service-Signature': sign(newerSecret, String(now - 301), body),
      'X-Service-Signature-Previous': sign(secret, String(now - 301), body),
    },
  }),
  bad('no secret', 'a secret that was never set must not be one that anybody knows', { body, secret: '' }),
]
