import { good, newerSecret, newestSecret, now, secret, sign } from './vector.ts'

const data = {
  reference_number: 'PI-TD6SBCEQZP6URL4P',
  short_code: '9YYY9V',
  merchant_reference: null,
  amount: 50_000,
  currency: 'MRU',
  status: 'PENDING',
  paid_at: null,
  payer_phone: null,
  metadata: {},
  commission: { provider_ttc: 0, payer_ttc: 0, tof: 0, tte: 0, total_revenue: 0 },
}

/** A body as the service sends it. */
export const envelope = (changes: Record<string, unknown>): string =>
  JSON.stringify({
    id: 'awFJrKkMOL3jxH9iawFJrKkMOL3jxH9e',
    event: 'payment.created',
    created_at: '2026-11-21T07:35:08.990Z',
    sandbox: true,
    data: { ...data, ...changes },
  })

export const body = envelope({})
const timestamp = String(now)
const byNewer = sign(newerSecret, timestamp, body)
const byNewest = sign(newestSecret, timestamp, body)

const manyPairs = Object.fromEntries(
  Array.from({ length: 50 }, (_, n) => [`key ${n}`, `${n} – ${'value '.repeat(16)}`]),
)

/** The requests that an endpoint must accept. */
export const goodVectors = [
  good('a payment', 'as the service sends it', { body }),
  good('letters beyond ASCII', 'the body is signed as UTF-8', {
    body: envelope({ metadata: { shop: 'Épicerie du marché', نواكشوط: 'سوق', '☕': '🫖 日本' } }),
  }),
  good('escapes', 'escapes must not be changed', {
    body: String.raw`{"id":"a-b","data":{"label":"caf\u00e9 \"\/\\ \ud83e\uded6 \n","note":"café"}}`,
  }),
  good('characters that some parsers change', 'line separators, a tab and a no-break space are part of the body', {
    body: envelope({ metadata: { a: '\u2028\u2029', b: '\t\u00a0', c: '</script>&amp;%41+' } }),
  }),
  good('empty data', 'no field of the data is required', {
    body: '{"id":"a-b","event":"order.new","data":{}}',
  }),
  good('no body', 'the text that is signed ends with the dot', { body: '' }),
  good('a long body', 'every byte is signed', { body: envelope({ metadata: manyPairs }) }),
  good('white space around JSON', 'the body is bytes, not JSON', { body: ' \r\n{ "id" : "a-b" }\r\n\r\n' }),
  good('dots in the body', 'only the first dot of the signed text separates time and body', {
    body: '1.2.3',
  }),
  good('a byte order mark', 'the byte order mark is part of the body', { body: '\ufeff{"id":"a-b"}' }),
  good('bytes that are not text', 'the check reads bytes', {
    body: Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]),
  }),
  good('300 s old', 'the tolerance includes 300 s', { body, timestamp: String(now - 300) }),
  good('300 s ahead', 'the clock of the service may be fast', { body, timestamp: String(now + 300) }),
  good('another secret', 'the key is the text of the secret', { body, secret: 'not-hex, not 64 characters' }),
  good('an additional header', 'the check ignores unknown headers', {
    body,
    headers: { 'X-Service-Event': 'payment.created', 'X-Service-Version': '2' },
  }),
  good('after a rotation, with the new secret', 'the previous signature belongs to the old secret', {
    body,
    secret: newerSecret,
    headers: { 'X-Service-Signature-Previous': sign(secret, timestamp, body) },
  }),
  good('after a rotation, with the old secret', 'the previous signature is the one that matches', {
    body,
    headers: {
      'X-Service-Signature': byNewer,
      'X-Service-Signature-Previous': sign(secret, timestamp, body),
    },
  }),
  good('after two rotations, with the second secret', 'the newest previous signature comes first', {
    body,
    secret: newerSecret,
    headers: {
      'X-Service-Signature': byNewest,
      'X-Service-Signature-Previous': `${byNewer},${sign(secret, timestamp, body)}`,
    },
  }),
  good('after two rotations, with the oldest secret', 'every previous signature is checked', {
    body,
    headers: {
      'X-Service-Signature': byNewest,
      'X-Service-Signature-Previous': `${byNewer},${sign(secret, timestamp, body)}`,
    },
  }),
  good('previous signatures with blanks between', 'a proxy that joins repeated headers writes ", "', {
    body,
    headers: {
      'X-Service-Signature': byNewest,
      'X-Service-Signature-Previous': `${byNewer}, ${sign(secret, timestamp, body)}`,
    },
  }),
]
