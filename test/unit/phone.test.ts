import { normaliseDigits } from '../../src/input/digits.ts'
import { maskPhone, readPhone, readPin, readWalletPhone } from '../../src/input/phone.ts'

describe('A phone number', () => {
  it('is normalised to 8 digits if it is national, however the customer types it', () => {
    const typed = `22000001| 22 00 00 01 |22-00-00-01|22\u201100\u201100\u201101|22.00.00.01|22/00/00/01
      |+222\u00a022\u202f00\u00a000\u00a001|+22222000001|+222 22 00 00 01|(+222) 22-00-00-01|0022222000001
      |222 22000001|\u202a+222 22000001\u202c|\u200f22000001\u061c|22\u00ad000001
      |٢٢٠٠٠٠٠١|+٢٢٢ ٢٢ ٠٠ ٠٠ ٠١|۲۲۰۰۰۰۰۱|22٠٠00۰۱`
    for (const text of typed.split(/\n *\||\|/)) expect(readPhone(text), text).to.equal('22000001')
  })

  it('keeps its leading digits even if they look like the country code', () => {
    const kept = { '22200001': '22200001', '222 22 222': '22222222', '+222 22 20 00 01': '22200001' }
    expect(Object.keys(kept).map(readPhone)).to.deep.equal(Object.values(kept))
  })

  it('keeps its country code if it is foreign', () =>
    expect(
      ['+221 77 123 45 67', '00221771234567', '+33 (0)6 12 34 56 78', '+1 (202) 555-0123'].map(readPhone),
    ).to.deep.equal(['221771234567', '221771234567', '33612345678', '12025550123']))

  it('is rejected in any other format', () => {
    const wrong = {
      length: ['', ' ', '+', '-', '2200000', '1234567890123456', '+22345678', '0022345678', '+223456789'],
      'length after the code': ['+222 2200000', '+222 220000012', '222 2200000', '+222 00001'],
      prefix: ['0612345678', '00123456', '+00222 22000001', '++22222000001', '22000001+'],
      characters: ['22000001 x1', '22OOOO01', '２２００００01', '22000001\0', '1e9', '22000001\ud800'],
    }
    for (const text of Object.values(wrong).flat()) expect(readPhone(text), text).to.equal(null)
  })

  it('has no wallet if it is Mauritanian but not mobile, however it is typed', () => {
    const wallets = '22000001|36 12 34 56|+222 49 00 00 00|٤٤٠٠٠٠٠١|0022220123456|22200001|+221 77 123 45 67'
    const none = '12000001|52 00 00 01|+222 99 00 00 01|٧٧٠٠٠٠٠١|25000001|35 12 34 56|0022245123456|2200000'
    for (const text of wallets.split('|')) expect(readWalletPhone(text), text).to.equal(readPhone(text))
    for (const text of none.split('|')) expect(readWalletPhone(text), text).to.equal(null)
  })

  it('is shown without 222 and masked except for two digits at each end', () => {
    const masks: Record<string, string[]> = {
      '22 ** ** 45': ['22000045', '+222 22 00 00 45', '22222000045', '00222-22000045', '٢٢٠٠٠٠٤٥'],
      '33 ** ** 67': ['33612345667', '+33 6 12 34 56 67', '336123467', '33612345678967', '336123456789067'],
    }
    for (const [masked, phones] of Object.entries(masks))
      for (const phone of phones) expect(maskPhone(phone), phone).to.equal(masked)
  })
})

describe('A PIN', () => {
  it('has 4 to 6 digits, in any supported script', () => {
    expect(['1234', ' 0000 ', '123456'].map(readPin)).to.deep.equal(['1234', '0000', '123456'])
    for (const text of ['١٢٣٤', '۱۲۳۴', '\u200f1234']) expect(readPin(text), text).to.equal('1234')
  })

  it('is rejected in any other format', () => {
    const wrong = ['', '123', '1234567', '12 34', '12-34', '12a4', '-1234', '1234\0', '１２３４']
    expect(wrong.map(readPin)).to.deep.equal(wrong.map(() => null))
  })
})

describe('Digit normalisation', () => {
  it('converts digits of every supported script to ASCII and removes invisible characters', () =>
    expect(normaliseDigits('٠١٢٣٤٥٦٧٨٩ ۰۱۲۳۴۵۶۷۸۹ 0123456789 ٫ é \u200e\u00ad-')).to.equal(
      '0123456789 0123456789 0123456789 ٫ é -',
    ))
})
