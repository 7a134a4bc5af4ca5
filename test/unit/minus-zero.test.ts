import { readJsonBody } from '../../src/http/body/json-body.ts'
import { createCellParsers } from '../../src/store/imports/rows.ts'

const read = (text: string) => readJsonBody(Buffer.from(text), 'application/json')

describe('Negative zero', () => {
  for (const zero of ['-0', '-0.0', '-0e5', '-1e-400', '-0.001E-999'])
    it(`becomes 0 wherever JSON contains ${zero} as a number`, () => {
      const value = { stock: 0, variants: [{ price: 0 }], name: '-0', id: 'a-0b' }
      const body = `{"stock":${zero},"variants":[{"price":${zero}}],"name":"-0","id":"a-0b"}`
      expect(read(body)).to.deep.equal({ value, params: value })
    })

  it('is replaced without changing other numbers or field names in the body', () => {
    const { value } = read('{"a":-0,"b":-5,"c":-1e-3,"__proto__":{"d":-0.5},"e":null}') as { value: object }
    expect(JSON.stringify(value)).to.equal('{"a":0,"b":-5,"c":-0.001,"__proto__":{"d":-0.5},"e":null}')
  })

  it('becomes 0 in a CSV cell', () => {
    const { stock, price } = createCellParsers(1000)
    expect([stock('-0'), price(' -00 ')]).to.deep.equal([{ value: 0 }, { value: 0 }])
  })
})
