import { body, envelope, signatures } from './good.ts'
import { bad, hmac, newerSecret, newestSecret, now, secret, sign } from './vector.ts'

const timestamp = String(now)
const genuine = sign(secret, timestamp, body)
const [byNewer, byNewest] = [newerSecret, newestSecret].map((key) => sign(key, timestamp, body)) as [
  string,
  string,
]
const ofAnotherBody = sign(secret, timestamp, envelope({ amount: 1 }))
const tooOld = String(now - 301)
const digest = genuine.slice('sha256='.length)
const altered = (name: string, why: string, arrived: string | Buffer, signed: string | Buffer = body) =>
  bad(`altered: ${name}`, why, { body: signed, arrived })
const atTime = (name: string, why: string, time: string) =>
  bad(`time: ${name}`, why, { body, timestamp: time })
const signedAs = (name: string, why: string, given: string | null) =>
  bad(`signature: ${name}`, why, { body, headers: { 'X-Service-Signature': given } })
const changedDigest = `${digest[0] === '0' ? '1' : '0'}${digest.slice(1)}`

export const badVectors = [
  altered('one digit', 'an amount was raised', body.replace('50000', '90000')),
  altered('one bit', 'the last brace', Buffer.from(body.slice(0, -1) + '|')),
  altered('a blank at the end', 'the signature covers the bytes, not their meaning', `${body} `),
  altered('a line end lost', 'the body must not be trimmed', body, `${body}\n`),
  altered('line ends', 'CRLF is not LF', '{\n"id":"a-b"\n}', '{\r\n"id":"a-b"\r\n}'),
  altered(
    're-serialised with blanks',
    'the raw body is signed, not the parsed one',
    JSON.stringify(JSON.parse(body), null, 2),
  ),
  altered(
    're-serialised without escapes',
    'parsing loses the escapes',
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
  altered(
    'byte order mark lost',
    'some readers drop the byte order mark',
    '{"id":"a-b"}',
    '\ufeff{"id":"a-b"}',
  ),
  altered(
    'a byte that is not text',
    'as text, it looks like the U+FFFD that was signed',
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    '{"a":"\ufffd"}',
  ),
  altered('emptied', 'the whole body is missing', ''),
  altered('sandbox', 'a test event was made a live one', body.replace('"sandbox":true', '"sandbox":false')),
  bad('time: changed', 'the time is signed too', {
    body,
    headers: { 'X-Service-Signature': sign(secret, String(now - 1), body) },
  }),
  atTime('301 s old', 'replayed', String(now - 301)),
  atTime('301 s ahead', 'signed for a later time', String(now + 301)),
  atTime('a day old', 'replayed', String(now - 86_400)),
  atTime('zero', 'the time is long ago', '0'),
  atTime('in milliseconds', 'the service sends seconds', `${timestamp}000`),
  atTime('beyond 64 bits', 'no program can compare such a number', '99999999999999999999999999'),
  atTime('empty', 'an empty text is not a time', ''),
  atTime('a word', 'a word is not a number', 'now'),
  atTime('not a number', 'a comparison with NaN is never true', 'NaN'),
  atTime(
    'with a fraction',
    'digits only; otherwise the dot between time and body is ambiguous',
    `${timestamp}.5`,
  ),
  atTime('with a sign', 'digits only', `+${timestamp}`),
  atTime('negative', 'digits only', `-${timestamp}`),
  atTime('with an exponent', 'digits only', '1795246509e0'),
  atTime('hexadecimal', 'digits only', `0x${now.toString(16)}`),
  atTime('with an underscore', 'digits only', '1_795_246_509'),
  atTime('with a line end', 'digits only, up to the end of the text', `${timestamp}\n`),
  atTime(
    'other digits',
    'ASCII digits only',
    timestamp.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
  ),
  atTime('a date', 'Unix time only', '2026-11-21T07:35:09Z'),
  bad('time: missing', 'without the time nothing can be checked', {
    body,
    headers: { 'X-Service-Timestamp': null },
  }),
  bad('time: missing, signed without', 'a missing header is not an empty one', {
    body,
    headers: { 'X-Service-Timestamp': null, 'X-Service-Signature': sign(secret, '', body) },
  }),
  signedAs('one digit changed', 'the first of the digest', `sha256=${changedDigest}`),
  signedAs('of another secret', 'each endpoint has its own secret', sign(newerSecret, timestamp, body)),
  signedAs(
    'of the secret as bytes',
    'the key is the text of the secret, not the bytes that its hex encodes',
    sign(Buffer.from(secret, 'hex'), timestamp, body),
  ),
  signedAs('of the body alone', 'the time is signed too', `sha256=${hmac(secret, body).toString('hex')}`),
  signedAs(
    'without the dot',
    'a dot separates time and body',
    `sha256=${hmac(secret, `${timestamp}${body}`).toString('hex')}`,
  ),
  signedAs('of another body', 'taken from another event', ofAnotherBody),
  signedAs('without prefix', 'the prefix sha256= is required', digest),
  signedAs('with another prefix', 'only sha256= is valid', `sha1=${digest}`),
  signedAs('with a prefix in capitals', 'only lower-case sha256= is valid', `SHA256=${digest}`),
  signedAs('in capitals', 'the service sends lower-case hex', `sha256=${digest.toUpperCase()}`),
  signedAs('in base64', 'the service sends hex', `sha256=${Buffer.from(digest, 'hex').toString('base64')}`),
  signedAs('half', 'a digest has 64 digits', `sha256=${digest.slice(0, 32)}`),
  signedAs('one digit short', 'a digest has 64 digits', `sha256=${digest.slice(0, -1)}`),
  signedAs('one digit more', 'a digest has 64 digits', `sha256=${digest}0`),
  signedAs(
    'with a letter beyond ASCII',
    'the same number of characters, but not of bytes; the check must not raise an error',
    `sha256=${digest.slice(0, -1)}é`,
  ),
  signedAs('only the prefix', 'the digest is missing', 'sha256='),
  signedAs('empty', 'there is no signature', ''),
  signedAs('commas', 'there is no signature', ',,'),
  signedAs('missing', 'there is no signature', null),
  bad('previous: of unknown secrets', 'each is a valid signature of another secret', {
    body,
    headers: signatures(byNewest, `${byNewer},${sign('', timestamp, body)}`),
  }),
  bad('previous: of another body', 'a previous signature must match the body too', {
    body,
    headers: signatures(byNewer, ofAnotherBody),
  }),
  bad('previous: too old', 'the tolerance is the same for every signature', {
    body,
    timestamp: tooOld,
    headers: signatures(sign(newerSecret, tooOld, body), sign(secret, tooOld, body)),
  }),
  bad('no secret', 'an unset secret must not be used as an empty one', { body, secret: '' }),
]
