import { buildCreateResponse } from '../../../src/intents/present.ts'

/** One first response's data, computed from a stored document. The exact body is in the file with this name. */
type ResponseCase = { name: string; data: Record<string, unknown> }
type StoredIntent = Parameters<typeof buildCreateResponse>[0]
const createdAt = new Date('2026-11-23T08:01:02.003Z')

export const fixed: StoredIntent = {
  businessId: '6560a1b2c3d4e5f601234560',
  referenceNumber: 'PI-23456789ABCDEFGH',
  shortCode: 'X7K2QP',
  code: '004217',
  codeExpiresAt: new Date('2026-11-23T20:01:02.003Z'),
  amountType: 'FIXED',
  amount: 50_000,
  label: 'Commande « 1042 »',
  merchantReference: '1042',
  sandbox: true,
  metadata: [{ key: 'order', value: '1042' }],
  expiresAt: new Date('2026-11-24T08:01:02.003Z'),
  createdAt,
  payBase: 'https://pay.example',
  responseFormat: 1,
}

const anyMetadata = Object.entries({
  'a.b': '1',
  $x: '2',
  constructor: '',
  '10': 'a key that looks like an index comes first',
  '2': 'and in the order of numbers',
  ' é💰': 'Épicerie « du marché » نواكشوط',
  quotes: '"\\/\b\f\n\r\t\u0007\u007f\u2028\u2029</script>',
}).map(([key, value]) => ({ key, value }))

export const cases: readonly ResponseCase[] = [
  { name: 'intent', data: buildCreateResponse(fixed) },
  { name: 'intent-live', data: buildCreateResponse({ ...fixed, sandbox: false }) },
  { name: 'intent-open', data: buildCreateResponse({ ...fixed, amountType: 'OPEN', amount: null }) },
  { name: 'intent-open-suggestion', data: buildCreateResponse({ ...fixed, amountType: 'OPEN' }) },
  {
    name: 'intent-bare',
    data: buildCreateResponse({ ...fixed, label: null, merchantReference: null, metadata: [] }),
  },
  {
    name: 'intent-any-text',
    data: buildCreateResponse({
      ...fixed,
      label: '"\\ \u0007 \u2028 💰 نواكشوط',
      merchantReference: ' "é\\\u2028💰',
      metadata: [...anyMetadata, { key: '__proto__', value: '3' }],
    }),
  },
]
