import * as fc from 'fast-check'
import { type NameKind, normaliseName } from '../../src/input/name.ts'
import { postCsv, storedProducts, variantLines } from '../support/imports.ts'
import { rounds } from '../support/machine.ts'
import { type Merchant, withService } from '../support/service.ts'
import { createProduct, productsPath } from '../support/store.ts'

/** Text that breaks CSV parsers or that spreadsheets interpret. */
const piece = fc.oneof(
  fc.constantFrom('"', '""', "'", '\\', ';', ',', '\n', '\r', '\r\n', '\t', ' ', '\uFEFF'),
  fc.constantFrom('=1+1', '@', '+5', '-5', '007', '1e3', 'TRUE', 'null'),
  fc.constantFrom('Thé', 'شاي', '😀', 'e\u0301', '\u202E', '\u2028', '\u00A0', '__proto__'),
  fc.string({ unit: 'binary', maxLength: 8 }).filter((text) => !text.includes('\0')),
)
const text = (maxLength: number) =>
  fc
    .array(piece, { minLength: 1, maxLength: 6 })
    .map((pieces) => pieces.join(''))
    .filter((joined) => /\S/.test(joined) && Array.from(joined).length <= maxLength)

const typed = (kind: NameKind, maxLength: number) =>
  text(maxLength)
    .map((each) => normaliseName(kind, each) ?? '')
    .filter((name) => name !== '' && Array.from(name).length <= maxLength)

const variant = fc.record({
  label: fc.oneof(typed('name', 100), fc.constantFrom('S', 'M', 'Default')),
  sku: fc.option(typed('reference', 60)),
  price: fc.oneof(fc.nat(1_000_000_000), fc.constant(0)),
  stock: fc.oneof(fc.nat(1_000_000_000), fc.constant(0)),
})
const product = fc.record({
  name: typed('name', 200),
  description: fc.oneof(text(200), fc.constant('')),
  active: fc.boolean(),
  variants: fc.array(variant, { minLength: 1, maxLength: 4 }),
})
const products = fc.array(product, { maxLength: 4 }).map((list) =>
  list.map((each, at) => ({
    ...each,
    variants: each.variants.map((one, n) => ({
      ...one,
      sku: one.sku === null ? null : `${one.sku}${at}-${n}`,
    })),
  })),
)

describe('A product CSV file', () => {
  const service = withService()

  const exported = async (merchant: Merchant, delimiter: string): Promise<string> => {
    const request = service.http.get(`${productsPath}/export-csv`).query({ delimiter })
    return (await request.set(merchant.read()).buffer(true).expect(200)).text
  }

  async function imported(merchant: Merchant, csv: string): Promise<Record<string, number>> {
    const { status, body } = await postCsv(service, merchant, csv)
    expect(status, JSON.stringify({ body, csv })).to.equal(200)
    return body.data
  }

  const productsOf = async (merchant: Merchant) =>
    (await storedProducts(service, merchant)).map(({ description, active, ...rest }) => ({
      description,
      active,
      lines: variantLines(rest),
    }))

  it('changes nothing when imported into its own shop, and creates the same products in an empty one', async () => {
    const survives = fc.asyncProperty(products, fc.constantFrom(',', ';'), async (list, delimiter) => {
      const [from, to] = await Promise.all([service.merchant(), service.merchant()])
      await Promise.all(list.map((each) => createProduct(service, from, each)))
      const before = await productsOf(from)
      const csv = await exported(from, delimiter)
      const same = await imported(from, csv)
      expect(same).to.include({ created: 0, updated: 0, unchanged: list.length, variants: 0 })
      expect(await productsOf(from)).to.deep.equal(before)
      expect(await imported(to, csv)).to.include({ created: list.length, updated: 0, unchanged: 0 })
      expect(await productsOf(to)).to.deep.equal(before)
      expect(await imported(to, await exported(to, delimiter))).to.include({
        unchanged: list.length,
        variants: 0,
      })
    })
    await fc.assert(survives, { numRuns: rounds(12, 3) })
  })
})
