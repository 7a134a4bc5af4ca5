import { parseTypedAmount } from '../../src/input/amount.ts'

describe('An amount typed by a customer', () => {
  const understood: Record<string, number> = {
    '500': 50_000,
    ' 500 ': 50_000,
    '500,5': 50_050,
    '500.50': 50_050,
    '500,': 50_000,
    ',5': 50,
    '0,01': 1,
    '007': 700,
    '1 500,00': 150_000,
    '1\u202f500\u00a0000,25': 150_000_025,
    '1,500.00': 150_000,
    '1.500,00': 150_000,
    '1,500,000': 150_000_000,
    '1.500.000,5': 150_000_050,
    '1’500.00': 150_000,
    '500 MRU': 50_000,
    '٥٠٠': 50_000,
    '١٬٥٠٠٫٥٠': 150_050,
    '١٥٠٠،٥': 150_050,
    '۱۵۰۰٫۵': 150_050,
    '\u2067500\u2069': 50_000,
    '0': 0,
    '90071992547409,91': Number.MAX_SAFE_INTEGER,
  }
  for (const [typed, centimes] of Object.entries(understood))
    it(`is converted to centimes: “${typed}” gives ${centimes}`, () =>
      expect(parseTypedAmount(typed)).to.equal(centimes))

  const wrongSeparators = ['0.500', '1,50,00', '1,500.000', '1,500,00.00', '5.0.0', '5..0', '12,345,67']
  const signed = ['-5', '+5', '1e3', '0x10', 'Infinity', 'NaN']
  const texts = ['', ' ', '.', 'abc', '5 EUR', '5\0', '\ud800']
  for (const typed of [...wrongSeparators, ...signed, ...texts, '90071992547409,92', '9'.repeat(400)])
    it(`is rejected if the text is ${JSON.stringify(typed.slice(0, 20))}`, () =>
      expect(parseTypedAmount(typed)).to.equal(null))

  for (const typed of ['1,500', '1.500', '١٥٠,٥٠٠', '999.000 MRU'])
    it(`is reported as ambiguous: “${typed}”`, () => expect(parseTypedAmount(typed)).to.equal('unclear'))
})
