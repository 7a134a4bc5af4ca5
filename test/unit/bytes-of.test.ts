import { mongo } from 'mongoose'
import { measureBson } from '../../src/mongo/collection.ts'

describe("A document's computed size", () => {
  it('equals the size of its BSON, whatever it contains', () => {
    const numbers = [0, 1, -1, 0.5, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53 - 1, 1e300]
    const values = [...numbers, '', 'thé 🍵', '\u0000', true, false, null, undefined, new Date(0), [], {}]
    const docs = [{}, ...values.map((value) => ({ value })), { values, nested: { a: [values, { values }] } }]
    const sizes = docs.map((each) => mongo.BSON.serialize(each, { ignoreUndefined: false }).length)
    for (const [index, each] of docs.entries())
      expect(measureBson(each), JSON.stringify(each)).to.equal(sizes[index])
    expect(measureBson(...docs)).to.equal(sizes.reduce((sum, size) => sum + size, 0))
  })
})
