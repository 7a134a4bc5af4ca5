import { expect } from 'chai'
import { parseCentimes, parseDecimalAmount } from '../../src/reconciliation/provider-file.ts'

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
