import { createResponseFilter } from '../../src/webhooks/deliveries/look-up.ts'

const head = { id: 'aB3dEf', created_at: '2026-01-02T03:04:05.000Z' }
const number = 'OR-0123456789ABCDEF'
const tea = { name: 'Thé vert', variant_label: 'Default', sku: null, unit_price: 12_345, quantity: 1 }
const customer = { name: 'Aïcha Mint Sidi', phone: '22113344', email: 'a.sidi@mail.example.com' }
const placed = { _id: 'a'.repeat(24), reference_number: number, number, status: 'PLACED', items: [tea] }
const sold = { ...placed, total: 12_345, currency: 'MRU', customer, created_at: head.created_at }
const order = JSON.stringify({ ...head, event: 'order.new', sandbox: true, data: sold })
const metadata = { order_id: 'order 7781', client: '+222 22 11 33 44', page: 'https://shop.example.com/a/b' }
const intent = { reference_number: 'PI-0123456789ABCDEF', short_code: 'K7QX2M', amount: 50_000 }
const pending = { currency: 'MRU', status: 'PENDING', paid_at: null, payer_phone: null }
const created = { ...intent, ...pending, metadata, commission: { provider_ttc: 0 } }
const payment = JSON.stringify({ ...head, event: 'payment.created', sandbox: false, data: created })

describe('The filter for endpoint responses on staff pages', () => {
  const bodies = { order, payment }
  const hidden: Record<'order' | 'payment', [what: string, response: string][]> = {
    order: [
      ['the whole event', order],
      ['the beginning of the event up to the name', order.slice(0, order.indexOf(' Mint'))],
      ['a first name', 'Order for Aïcha stored'],
      ['a name in capitals without accents', 'THANKS, AICHA!'],
      ['a name with JSON escapes', String.raw`{"name":"A\u00efcha"}`],
      ['a name with URL escapes', 'customer=A%C3%AFcha+Mint'],
      ['a name after an escaped line end', String.raw`"Order of:\nAicha"`],
      ['a phone number', 'SMS to 22113344 failed'],
      ['a phone number in pairs', 'SMS to 22 11.33-44 failed'],
      ['a phone number with its country code', 'SMS to +22222113344 failed'],
      ['a phone number in a longer word', 'key cust_22113344_1'],
      ['an email address', 'No mail to a.sidi@mail.example.com'],
    ],
    payment: [
      ['a value from the metadata', '{"error":"order 7781 is closed"}'],
      ['a phone number from the metadata without its country code', 'unknown client 22113344'],
      ['the short code', 'no such code: k7qx2m'],
    ],
  }
  const shown: Record<'order' | 'payment', [what: string, response: string][]> = {
    order: [
      ['no text', ''],
      ['an error page', '<html><head><title>502 Bad Gateway</title></head>nginx/1.18.0</html>'],
      ['the order number and field names', '{"error":"customer missing","number":"OR-0123456789ABCDEF"}'],
      ['a product', 'Thé vert is sold out'],
      ['a host name', 'Cannot connect to db.example.com'],
    ],
    payment: [
      ['the reference, the amount and metadata keys', 'PI-0123456789ABCDEF: no order_id, 50000 MRU'],
      ['words of JSON', '{"ok":true,"retry":null}'],
      ['the host of a URL in the metadata', 'https://shop.example.com/hook failed'],
    ],
  }
  for (const event of ['order', 'payment'] as const)
    for (const [verb, rows] of Object.entries({ hides: hidden[event], shows: shown[event] }))
      for (const [what, response] of rows)
        it(`${verb} a response that contains ${what}`, () => {
          const expected = verb === 'hides' ? null : response
          expect(createResponseFilter(bodies[event])(response)).to.equal(expected)
        })

  it('omits the last word of a response truncated to 1 KiB because the word may be incomplete', () => {
    const text = `${'x '.repeat(508)}22113344`
    expect(createResponseFilter(payment)(text.slice(0, 1023))).to.equal(`${'x '.repeat(508)}…`)
  })
})
