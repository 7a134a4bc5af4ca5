import { expect } from 'chai'
import { createResponseFilter } from '../../src/webhooks/deliveries/filter-responses.ts'

const order = JSON.stringify({
  id: 'aB3dEf',
  event: 'order.new',
  created_at: '2026-01-02T03:04:05.000Z',
  sandbox: true,
  data: {
    _id: 'a'.repeat(24),
    reference_number: 'OR-0123456789ABCDEF',
    number: 'OR-0123456789ABCDEF',
    status: 'PLACED',
    items: [{ name: 'Thé vert', variant_label: 'Default', sku: null, unit_price: 12_345, quantity: 1 }],
    total: 12_345,
    currency: 'MRU',
    customer: { name: 'Aïcha Mint Sidi', phone: '22113344', email: 'a.sidi@mail.example.com' },
    created_at: '2026-01-02T03:04:05.000Z',
  },
})

const payment = JSON.stringify({
  id: 'aB3dEf',
  event: 'payment.created',
  created_at: '2026-01-02T03:04:05.000Z',
  sandbox: false,
  data: {
    reference_number: 'PI-0123456789ABCDEF',
    short_code: 'K7QX2M',
    amount: 50_000,
    currency: 'MRU',
    status: 'PENDING',
    paid_at: null,
    payer_phone: null,
    metadata: {
      order_id: 'order 7781',
      client: '+222 22 11 33 44',
      gift: 'true',
      page: 'https://shop.example.com/a/b',
    },
    commission: { provider_ttc: 0 },
  },
})

describe('The filter for responses on staff pages', () => {
  const hidden: [what: string, body: string, response: string][] = [
    ['the whole event', order, order],
    ['the beginning of the event up to the name', order, order.slice(0, order.indexOf(' Mint'))],
    ['a first name', order, 'Order for Aïcha stored'],
    ['a name in capitals without accents', order, 'THANKS, AICHA!'],
    ['a name in the escapes of JSON', order, String.raw`{"name":"A\u00efcha"}`],
    ['a name in the escapes of URLs', order, 'customer=A%C3%AFcha+Mint'],
    ['a name after an escaped line end', order, String.raw`"Order of:\nAicha"`],
    ['a phone number', order, 'SMS to 22113344 failed'],
    ['a phone number in pairs', order, 'SMS to 22 11.33-44 failed'],
    ['a phone number with its country code', order, 'SMS to +22222113344 failed'],
    ['a phone number in a longer word', order, 'key cust_22113344_1'],
    ['an email address', order, 'No mail to a.sidi@mail.example.com'],
    ['a value of the metadata', payment, '{"error":"order 7781 is closed"}'],
    ['a phone number of the metadata without its country code', payment, 'unknown client 22113344'],
    ['the short code', payment, 'no such code: k7qx2m'],
  ]
  for (const [what, body, response] of hidden)
    it(`hides a response that has ${what}`, () => {
      expect(createResponseFilter(body)(response)).to.equal(null)
    })

  const shown: [what: string, body: string, response: string][] = [
    ['nothing', order, ''],
    [
      'an error page',
      order,
      '<html><head><title>502 Bad Gateway</title></head><center>nginx/1.18.0</center></html>',
    ],
    [
      'the number of the order and its field names',
      order,
      '{"error":"customer missing","number":"OR-0123456789ABCDEF"}',
    ],
    ['a product', order, 'Thé vert is sold out'],
    ['a host name', order, 'Cannot connect to db.example.com'],
    [
      'the reference, the amount and the field names of metadata',
      payment,
      'PI-0123456789ABCDEF: no order_id, 50000 MRU',
    ],
    ['words of JSON', payment, '{"ok":true,"retry":null}'],
    ['the host of a URL in the metadata', payment, 'https://shop.example.com/hook failed'],
  ]
  for (const [what, body, response] of shown)
    it(`shows a response that has ${what}`, () => {
      expect(createResponseFilter(body)(response)).to.equal(response)
    })

  it('drops a word that is cut off at the end of the stored KiB', () => {
    const text = `${'x '.repeat(508)}22113344`
    expect(createResponseFilter(payment)(text.slice(0, 1023))).to.equal(`${'x '.repeat(508)}…`)
  })
})
