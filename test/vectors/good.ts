import { deliveryId, good, newerSecret, newestSecret, now, secret, sign } from './vector.ts'

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

export const envelope = (changes: Record<string, unknown>): string =>
  JSON.stringify({
    id: deliveryId,
    event: 'payment.created',
    created_at: '2026-11-21T07:35:08.990Z',
    sandbox: true,
    data: { ...data, ...changes },
  })

export const body = envelope({})
const timestamp = String(now)
const byFirst = sign(secret, timestamp, body)
const byNewer = sign(newerSecret, timestamp, body)
const byNewest = sign(newestSecret, timestamp, body)
export const signatures = (current: string, previous: string) => ({
  'X-Service-Signature': current,
  'X-Service-Signature-Previous': previous,
})

const manyPairs = Object.fromEntries(
  Array.from({ length: 50 }, (_, n) => [`key ${n}`, `${n} – ${'value '.repeat(16)}`]),
)

/** Genuine, but with an `id` that must not be used as an event's id or a file name. */
const odd = (name: string, id: unknown) =>
  good(`an odd id: ${name}`, 'the service sends no such id', {
    body: JSON.stringify({ id, event: 'order.new' }),
    eventId: null,
  })

export const goodVectors = [
  good('a payment', 'as the service sends it', { body }),
  good('letters beyond ASCII', 'the body is signed as UTF-8', {
    body: envelope({ metadata: { shop: 'Épicerie du marché', نواكشوط: 'سوق', '☕': '🫖 日本' } }),
  }),
  good('escapes', 'escapes must not be changed', {
    body: String.raw`{"id":"${deliveryId}","data":{"label":"caf\u00e9 \"\/\\ \ud83e\uded6 \n","note":"café"}}`,
  }),
  good(
    'characters that some parsers change',
    'line separators, a tab and a no-break space are part of the body',
    { body: envelope({ metadata: { a: '\u2028\u2029', b: '\t\u00a0', c: '</script>&amp;%41+' } }) },
  ),
  good('empty data', 'no field of the data is required', {
    body: `{"event":"order.new","id":"${deliveryId}","data":{}}`,
  }),
  good('an id with - and _', 'the id is base64url', {
    body: '{"id":"-_-_-_-_-_-_-_-_iawFJrKkMOL3jxH9"}',
    eventId: 'fbffbffbffbffbffbffbffbf',
  }),
  good('an event as `listen` forwards it', 'its id is that of the event', {
    body: '{"id":"6b0149aca90c38bde3c47f63","event":"order.new"}',
    eventId: '6b0149aca90c38bde3c47f63',
  }),
  odd('two dots', '..'),
  odd('a path', '../../../../../../../../../../ab/cd'),
  odd('a path of 32 characters', '../../../../../../../../ab/cd/ef'),
  odd('with a line end', `${deliveryId}\n`),
  odd('too long', `${deliveryId}A`),
  odd('letters beyond ASCII', 'é'.repeat(32)),
  odd('in capitals', '6B0149ACA90C38BDE3C47F63'),
  odd('an event id with a line end', '6b0149aca90c38bde3c47f63\n'),
  odd('a number', 6),
  odd('null', null),
  good('no body', 'the text that is signed ends with the dot', { body: '' }),
  good('a long body', 'every byte is signed', { body: envelope({ metadata: manyPairs }) }),
  good('white space around JSON', 'the body is bytes, not JSON', {
    body: ` \r\n{ "id" : "${deliveryId}" }\r\n\r\n`,
  }),
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
  ...['..', '', '6b0149aca90c38bde3c47f99'].map((header) =>
    good(
      `another event id in the header: ${header}`,
      'the header is not signed, so the id comes from the body',
      { body, headers: { 'X-Service-Event-Id': header, 'webhook-id': header } },
    ),
  ),
  good('after a rotation, with the new secret', 'the previous signature belongs to the old secret', {
    body,
    secret: newerSecret,
    headers: { 'X-Service-Signature-Previous': byFirst },
  }),
  good('after a rotation, with the old secret', 'the previous signature is the one that matches', {
    body,
    headers: signatures(byNewer, byFirst),
  }),
  good('after two rotations, with the second secret', 'the newest previous signature comes first', {
    body,
    secret: newerSecret,
    headers: signatures(byNewest, `${byNewer},${byFirst}`),
  }),
  good('after two rotations, with the oldest secret', 'every previous signature is checked', {
    body,
    headers: signatures(byNewest, `${byNewer},${byFirst}`),
  }),
  good('previous signatures with blanks between', 'a proxy that joins repeated headers writes ", "', {
    body,
    headers: signatures(byNewest, `${byNewer}, ${byFirst}`),
  }),
]
