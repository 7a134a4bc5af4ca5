import { createTimeParser, parseCentimes, parseDecimalAmount } from '../../src/reconciliation/cells.ts'

const refused = ['', ' ', '-1', '+1', '1e3', '0x10', 'NaN', '१२', '1_000', '1 00', '12 34,50']

describe("An amount in a provider's file", () => {
  it('is read exactly if it is a whole number of centimes and otherwise refused', () => {
    const read = ['0', '5', '007', '123450', '9007199254740991'].map(parseCentimes)
    expect(read).to.deep.equal([0, 5, 7, 123_450, Number.MAX_SAFE_INTEGER])
    for (const text of [...refused, '1234.50', '1 234', '9007199254740993', '9'.repeat(400)])
      expect(parseCentimes(text), text).to.equal(null)
  })

  it('is read exactly if it is a decimal in a common form and refused if it is ambiguous', () => {
    const amounts = {
      '0': 0,
      '0.29': 29,
      '1.1': 110,
      '1234': 123_400,
      '1234.50': 123_450,
      '1234,5': 123_450,
      '1 234,50': 123_450,
      '1\u00a0234\u202f567,89': 123_456_789,
      '12\u2009345': 1_234_500,
      '1,234.50': 123_450,
      '1.234.567,05': 123_456_705,
      // In floating point, this amount times 100 is 9007199254740980.
      '90071992547409.79': 9_007_199_254_740_979,
      '90071992547409.91': Number.MAX_SAFE_INTEGER,
    }
    for (const [text, amount] of Object.entries(amounts))
      expect(parseDecimalAmount(text), text).to.equal(amount)
    const ambiguous = ['1 234.567', ...'1,234 1.234 1.234.567 1,23,456.00 1.005 .50 5. 1,5.0'.split(' ')]
    for (const text of [...refused, ...ambiguous, '90071992547409.92', '9'.repeat(400)])
      expect(parseDecimalAmount(text), text).to.equal(null)
  })
})

describe("A time in a provider's file", () => {
  it('is read in the form of --time-format, in UTC', () => {
    const times = [
      ['DD/MM/YYYY HH:mm', '05/11/2026 09:07', '2026-11-05T09:07:00.000Z'],
      ['DD/MM/YYYY HH:mm', '5/11/2026 9:07', '2026-11-05T09:07:00.000Z'],
      ['MM-DD-YYYY', '11-05-2026', '2026-11-05T00:00:00.000Z'],
      ['YYYYMMDDHHmmss', '20261105090708', '2026-11-05T09:07:08.000Z'],
      ['DD.MM.YYYY', '31.02.2026', undefined],
      ['DD.MM.YYYY', '05/11/2026', undefined],
      ['DD/MM/YYYY HH:mm', '05/11/2026 25:00', undefined],
    ] as const
    for (const [format, text, time] of times)
      expect(createTimeParser(format)?.(text)?.toISOString(), `${format} ${text}`).to.equal(time)
    for (const wrong of ['', 'DD/MM', 'DD/DD/MM/YYYY', 'DD/MM/YYYY HH', 'DD/MM/YY', 'dd/MM/YYYY'])
      expect(createTimeParser(wrong), wrong).to.equal(null)
  })
})
