import type { CsvRowError } from '../../src/store/imports/rows.ts'
import { expectRefused } from '../api/refused.ts'
import { csvOf, postCsv, storedProducts, variantLines } from '../support/imports.ts'
import { inFull } from '../support/machine.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'
import { createProduct, readProduct } from '../support/store.ts'

const header = 'handle,name,description,variant_label,sku,price,stock,active'
const file = (...rows: string[]): string => csvOf(header, ...rows)

const shop = file(
  'tee,Tee,Cotton,S,T-S,1000,5,true',
  'tee,,,L,T-L,1100,6,',
  'mug,Mug,,,M-1,500,7,yes',
  'lamp,Lamp,,Brass,,900,1,',
  'scarf,Scarf,,Wool,W-1,2000,1,',
  'scarf,,,Wool,,2000,2,',
)
const sold = {
  tee: ['tee|Tee|S|T-S|1000|5', 'tee|Tee|L|T-L|1100|6'],
  mug: ['mug|Mug|Default|M-1|500|7'],
  lamp: ['lamp|Lamp|Brass||900|1'],
  scarf: ['scarf|Scarf|Wool|W-1|2000|1', 'scarf|Scarf|Wool||2000|2'],
}

/** What these rows change in that shop. `counts`: created, updated, unchanged, variants and rows. */
const rules: Record<string, { rows: string[]; becomes: Record<string, string[]>; counts: number[] }> = {
  'a blank cell keeps the existing value': {
    rows: ['mug,,,,,,,', 'tee,,,S,,,9,'],
    becomes: { tee: ['tee|Tee|S|T-S|1000|9', sold.tee[1] as string] },
    counts: [0, 1, 1, 1, 2],
  },
  'a row without any variant cells applies to the product': {
    rows: ['tee,Shirt,,,,,,'],
    becomes: { tee: ['tee|Shirt|S|T-S|1000|5', 'tee|Shirt|L|T-L|1100|6'] },
    counts: [0, 1, 0, 0, 1],
  },
  'a dollar sign is an ordinary character': {
    rows: ['mug,$name,$$ROOT,,,,,', 'tee,$tee,,$name,$sku,1200,,'],
    becomes: {
      mug: ['mug|$name|Default|M-1|500|7'],
      tee: ['tee|$tee|S|T-S|1000|5', 'tee|$tee|L|T-L|1100|6', 'tee|$tee|$name|$sku|1200|0'],
    },
    counts: [0, 2, 0, 1, 2],
  },
  'all rows with the same handle form one product, wherever they are': {
    rows: ['cap,,,Red,,300,,', 'mug,,,,,550,,', 'cap,Cap,,Blue,C-B,310,2,'],
    becomes: { cap: ['cap|Cap|Red||300|0', 'cap|Cap|Blue|C-B|310|2'], mug: ['mug|Mug|Default|M-1|550|7'] },
    counts: [1, 1, 0, 3, 3],
  },
  'a blank label stands for the only variant, whatever its label': {
    rows: ['lamp,,,,,950,,'],
    becomes: { lamp: ['lamp|Lamp|Brass||950|1'] },
    counts: [0, 1, 0, 1, 1],
  },
  'a blank label with a SKU stands for the variant with that SKU': {
    rows: ['tee,,,,T-L,1200,,'],
    becomes: { tee: [sold.tee[0] as string, 'tee|Tee|L|T-L|1200|6'] },
    counts: [0, 1, 0, 1, 1],
  },
  'an unknown label creates a new variant': {
    rows: ['tee,,,XL,T-XL,1200,,', 'tee,,,M,,1050,4,'],
    becomes: { tee: [...sold.tee, 'tee|Tee|XL|T-XL|1200|0', 'tee|Tee|M||1050|4'] },
    counts: [0, 1, 0, 2, 2],
  },
  'variants with equal labels are matched by SKU and then by order, and an extra row adds a variant': {
    rows: ['scarf,,,Wool,,2100,,', 'scarf,,,Wool,W-1,2200,,', 'scarf,,,Wool,W-3,2300,3,'],
    becomes: {
      scarf: ['scarf|Scarf|Wool|W-1|2200|1', 'scarf|Scarf|Wool||2100|2', 'scarf|Scarf|Wool|W-3|2300|3'],
    },
    counts: [0, 1, 0, 3, 3],
  },
  'variants of one product may swap their SKUs or pass them on to new variants': {
    rows: ['tee,,,S,T-L,,,', 'tee,,,L,T-X,,,', 'tee,,,M,T-S,1050,,'],
    becomes: { tee: ['tee|Tee|S|T-L|1000|5', 'tee|Tee|L|T-X|1100|6', 'tee|Tee|M|T-S|1050|0'] },
    counts: [0, 1, 0, 3, 3],
  },
}

/** The faults of these rows in that shop, each with its row and column. */
const wrong: Record<string, { rows: string[]; faults: string }> = {
  'a new product without name or price': {
    rows: ['cap,,,Red,,,,', 'bag,Bag,A bag,,,,,'],
    faults: '2 price, 2 name, 3 price',
  },
  'a new variant without price': { rows: ['tee,,,M,,,,'], faults: '2 price' },
  'two names, two descriptions and two answers whether it is active': {
    rows: ['tee,A,a,S,,,,true', 'mug,,,,,,,', 'tee,B,b,L,,,,false', 'tee,A,a,L,,,,true'],
    faults: '4 name, 4 description, 4 active, 5 variant_label, 5 price',
  },
  'a blank label where there are several variants and no Default': {
    rows: ['tee,,,,,1200,,'],
    faults: '2 variant_label',
  },
  'a row that stands twice': { rows: ['tee,,,L,,1200,,', 'tee,,,L,,1200,,'], faults: '3 variant_label' },
  'a label of several variants, and no SKU that tells': {
    rows: ['scarf,,,Wool,,9,,'],
    faults: '2 variant_label',
  },
  'a SKU twice': { rows: ['tee,,,S,X,,,', 'mug,,,,X,,,', 'cap,Cap,,,X,1,,'], faults: '3 sku, 4 sku' },
  'a SKU of another product, also one that gives it away here': {
    rows: ['tee,,,S,M-1,,,', 'mug,,,,M-2,,,', 'cap,Cap,,,T-L,1,,'],
    faults: '2 sku, 4 sku',
  },
  'a SKU that another variant keeps': { rows: ['tee,,,S,T-L,,,'], faults: '2 sku' },
  'a hundred and first variant': {
    rows: Array.from({ length: 99 }, (_, index) => `tee,,,N${index},,1,,`),
    faults: '2 null',
  },
}

describe('A product import', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()

  const sells = async () => (await storedProducts(service, merchant)).flatMap(variantLines)
  const countsOf = (counts: number[]) => {
    const [created, updated, unchanged, variants, rows] = counts
    return { created, updated, unchanged, variants, rows }
  }

  for (const [rule, { rows, becomes, counts }] of Object.entries(rules))
    it(`follows the rule that ${rule}`, async () => {
      await postCsv(service, merchant, shop).expect(200)
      const tried = await postCsv(service, merchant, file(...rows), { query: '?dryRun=true' }).expect(200)
      expect(tried.body.data).to.include({ ...countsOf(counts), dryRun: true })
      expect(await sells()).to.have.members(Object.values(sold).flat())
      const { body } = await postCsv(service, merchant, file(...rows)).expect(200)
      expect(body.data).to.deep.equal(countsOf(counts))
      expect(await sells()).to.have.members(Object.values({ ...sold, ...becomes }).flat())
      const again = await postCsv(service, merchant, file(...rows), { query: '?dryRun=true' }).expect(200)
      expect(again.body.data).to.include({ created: 0, updated: 0, variants: 0 })
    })

  it('rejects an invalid file, naming the row and column of every error', async () => {
    await postCsv(service, merchant, shop).expect(200)
    for (const [index, [what, { rows, faults }]] of Object.entries(wrong).entries())
      for (const query of index === 0 ? ['', '?dryRun=true'] : ['']) {
        const sent = postCsv(service, merchant, file(...rows, 'new,New,,,,5,,'), { query })
        const param = faults.split(/ |,/)[1]?.replace('null', 'csv') ?? ''
        const { error } = (await expectRefused(sent, 400, 'VALIDATION_ERROR', { param })).body
        const listed = error.details.faults.map(({ row, column }: CsvRowError) => `${row} ${column}`)
        expect(listed, what).to.have.members(faults.split(', '))
      }
    expect(await sells()).to.have.members(Object.values(sold).flat())
  })

  it('rejects a product over 64 KiB, naming the row and column that take up most of it', async () => {
    const tea = (count: number) => '🍵'.repeat(count)
    const rows = (labels: number, description: string) =>
      file(
        'tee,Tee,,S,,1,,',
        ...Array.from({ length: 99 }, (_, index) => `big,Big,,${tea(labels)} ${index},,1,,`),
        `big,,${description},,,,,`,
      )
    const refusalOf = async (csv: string) => {
      const { body } = await expectRefused(postCsv(service, merchant, csv), 413, 'PAYLOAD_TOO_LARGE')
      const [fault, ...more] = body.error.details.faults
      expect([more, body.error.details.more]).to.deep.equal([[], 0])
      expect(body.error.message).to.include('It can take up at most 65536')
      return [fault.row, fault.column, fault.code]
    }
    expect(await refusalOf(rows(97, tea(5000)))).to.deep.equal([3, 'variant_label', 'PAYLOAD_TOO_LARGE'])
    await postCsv(service, merchant, rows(97, tea(3000))).expect(200)
    const longer = file('tee,Tea,,,,,,', `big,,${tea(5000)},,,,,`)
    expect(await refusalOf(longer)).to.deep.equal([3, 'description', 'PAYLOAD_TOO_LARGE'])
    await postCsv(service, merchant, file(`big,,${tea(10)},,,,,`)).expect(200)
    expect((await storedProducts(service, merchant)).map(({ name }) => name)).to.deep.equal(['Big', 'Tee'])
  })

  it('can refer by id to a product created by a POST, but not to a product in another shop', async () => {
    const product = await createProduct(service, merchant, { name: 'Posted', sku: 'P-1' })
    const { body } = await postCsv(service, merchant, file(`${product._id},,,,,1500,,`)).expect(200)
    expect(body.data).to.deep.equal(countsOf([0, 1, 0, 1, 1]))
    const seen = await readProduct(service, merchant, product._id)
    expect(seen.variants[0]).to.deep.equal({ ...product.variants[0], price: 1500 })
    const stranger = await service.merchant()
    await expectRefused(postCsv(service, stranger, file(`${product._id},,,,,1,,`)), 400, 'VALIDATION_ERROR')
    await postCsv(service, stranger, file('x,X,,,P-1,1,,')).expect(200)
  })

  it('lists the affected products in a dry run but creates nothing, not even the shop', async () => {
    const { body } = await postCsv(service, merchant, shop, { query: '?dryRun=true' }).expect(200)
    const handles = { created: ['tee', 'mug', 'lamp', 'scarf'], updated: [], unchanged: [] }
    expect(body.data).to.deep.equal({ ...countsOf([4, 0, 0, 6, 6]), dryRun: true, handles })
    const { businessId } = merchant
    const { Shop, Product } = service.deps
    for (const left of [Shop.countDocuments({ businessId }), Product.countDocuments({ businessId })])
      expect(await left).to.equal(0)
    const refused = await postCsv(service, merchant, shop, { query: '?dryRun=maybe' }).expect(400)
    expect(refused.body.error.param).to.equal('dryRun')
  })

  it('accepts a large file, whether its products are all new, all changed or all unchanged', async () => {
    const count = inFull(5_000, 1_000)
    // More products and variants than one write holds.
    const productCount = 147 + count / 100
    const productAt = (row: number) => (row < 300 ? row >> 1 : 147 + Math.floor(row / 100))
    const rowsAt = (price: number) =>
      Array.from({ length: count }, (_, row) => `p${productAt(row)},P,,V${row},S-${row},${price},3,`)
    const dryRun = { query: '?dryRun=true' }
    const tried = await postCsv(service, merchant, file(...rowsAt(100)), dryRun).expect(200)
    const { created, handles } = tried.body.data
    expect([created, handles.created.length]).to.deep.equal([productCount, 100])
    const expected = [
      { price: 100, counts: [productCount, 0, 0, count, count] },
      { price: 100, counts: [0, 0, productCount, 0, count] },
      { price: 101, counts: [0, productCount, 0, count, count] },
    ]
    for (const { price, counts } of expected) {
      const { body } = await postCsv(service, merchant, file(...rowsAt(price))).expect(200)
      expect(body.data).to.deep.equal(countsOf(counts))
    }
    const products = await storedProducts(service, merchant)
    expect(products.flatMap(({ skus }) => skus)).to.have.length(count)
    for (const { variants } of products) expect(variants.every(({ price }) => price === 101)).to.equal(true)
  })
})
