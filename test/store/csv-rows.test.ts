import type { Refusal } from '../../src/platform/errors.ts'
import { parseProductCsv } from '../../src/store/imports/read-file.ts'
import type { CsvRowError } from '../../src/store/imports/rows.ts'
import { countLoopIterations } from '../support/count-loop-iterations.ts'

const deps = { config: { maxAmount: 1_000_000 } } as Parameters<typeof parseProductCsv>[0]
const full = 'handle,name,description,variant_label,sku,price,stock,active'
const read = (csv: unknown) => parseProductCsv(deps, csv)
const lines = (...each: string[]): string => each.join('\n')

async function refusalOf(csv: unknown): Promise<Refusal> {
  const refused: unknown = await read(csv).catch((error: unknown) => error)
  expect(refused, String(csv).slice(0, 200)).to.have.property('name', 'Refusal')
  return refused as Refusal
}

const messageOf = async (csv: unknown): Promise<string> => (await refusalOf(csv)).message

async function faultsOf(csv: unknown): Promise<CsvRowError[]> {
  return ((await refusalOf(csv)).extras.details as { faults: CsvRowError[] }).faults
}

function fileWith(column: string, text: string): string {
  const quoted = `"${text.replaceAll('"', '""')}"`
  return column === 'handle' ? lines('handle', quoted) : lines(`handle,${column}`, `h,${quoted}`)
}

async function cell(column: string, text: string): Promise<unknown> {
  const [row] = await read(fileWith(column, text))
  return row?.[column as keyof typeof row]
}

describe('A product CSV file', () => {
  it('may use commas or semicolons, any line ending and a byte order mark, as bytes or as a string', async () => {
    const text = { name: 'Thé, vert', description: 'a\r\nb "c"', variant_label: '1 kg; net', sku: 'T-1' }
    const row = { row: 2, handle: 'tea', ...text, price: 1250, stock: 0, active: true }
    const cells = ['tea', '"Thé, vert"', '"a\r\nb ""c"""', '"1 kg; net"', 'T-1', '1250', '0', 'TRUE']
    for (const delimiter of [',', ';'])
      for (const end of ['\n', '\r\n', '\r'])
        for (const bom of ['', '\uFEFF']) {
          const file = bom + [full.replaceAll(',', delimiter), cells.join(delimiter), ''].join(end)
          for (const csv of [file, Buffer.from(file)])
            expect(await read(csv), JSON.stringify(file)).to.deep.equal([row])
        }
  })

  it('refuses a SKU that a spreadsheet shortened to a power of ten', async () => {
    for (const sku of ['6.2E+12', '6,2E+12', '6e+12'])
      expect(await messageOf(fileWith('sku', sku)), sku).to.include('spreadsheet shortened this SKU')
    for (const sku of ['6200000000000', 'E+12', '62E+1', '6.2E12'])
      expect(await cell('sku', sku)).to.equal(sku)
  })

  it('may have columns in any order and case, and a missing column counts as blank', async () => {
    const [row] = await read(lines(' PRICE ;" Handle";Variant_Label', '5;a;"small"'))
    const given = { handle: 'a', price: 5, variant_label: 'small' }
    expect(row).to.include({ ...given, name: null, stock: null, active: null })
    expect(await read(lines('handle', 'a', 'b'))).to.have.length(2)
    expect(await read(lines(full, ''))).to.deep.equal([])
    // Spreadsheets omit trailing blank cells.
    const whole = await read(lines(full, 'tea,Thé,,,,,,', 'tea,,,1 kg,,900,,'))
    expect(await read(lines(full, 'tea,Thé', 'tea,,,1 kg,,900'))).to.deep.equal(whole)
  })

  it('has its rows numbered as in a spreadsheet, including blank lines', async () => {
    const csv = lines('handle,name,', 'a,"two', 'lines",', '', ' , ,', '   ', 'b,,')
    expect((await read(csv)).map(({ row, handle }) => `${row} ${handle}`)).to.deep.equal(['2 a', '6 b'])
  })

  it('keeps the text of its cells unchanged, even if it looks like a formula', async () => {
    const formulas = ['=1+1', '@SUM(A1)', '+22222', '-5', '0012']
    for (const text of [...formulas, '😀', 'شاي', '"', ';'])
      for (const column of ['name', 'description', 'variant_label', 'sku'])
        expect(await cell(column, text), column).to.equal(text)
    for (const text of [' a ', '\ta', 'é\u0301', '\uFEFFa', 'a\nb'])
      expect(await cell('description', text)).to.equal(text)
    expect(await cell('handle', '  thé vert\t')).to.equal('thé vert')
    expect(await cell('name', ' \t\n')).to.equal(null)
  })

  it('is rejected if a price is not a whole number of centimes in range', async () => {
    expect(await cell('price', ' 0 ')).to.equal(0)
    expect(await cell('price', '1000000')).to.equal(1_000_000)
    const decimals = ['12,50', '12.50', '12.00', '1 250', '1\u00A0250']
    const message = 'Row 2, price: The price must be a whole number of centimes. Write 1250 for 12.50 MRU.'
    for (const text of [...decimals, '1e3', '٥', '0x10', '+5', 'MRU 5', 'NaN', '5-', '=5']) {
      const fault = await refusalOf(lines('handle;price', `h;"${text}"`))
      expect(fault, text).to.deep.include({ code: 'VALIDATION_ERROR', message })
      expect(fault.extras.param).to.equal('price')
    }
    const outside = { code: 'AMOUNT_OUT_OF_RANGE' }
    for (const text of ['-1', '1000001', '9'.repeat(400)])
      expect(await refusalOf(lines('handle;price', `h;${text}`)), text).to.include(outside)
  })

  it('is rejected if the stock is not a whole number or an active cell is not a known word', async () => {
    expect(await cell('stock', '1000000000')).to.equal(1_000_000_000)
    for (const text of ['-1', '1000000001', '1.5', 'many'])
      expect(await faultsOf(lines('handle,stock', `h,"${text}"`)), text).to.have.length(1)
    for (const text of ['true', '1', 'Yes', 'OUI', 'vrai '])
      expect(await cell('active', text), text).to.equal(true)
    for (const text of ['FALSE', '0', 'no', 'Non', 'faux'])
      expect(await cell('active', text), text).to.equal(false)
    for (const text of ['maybe', '2', 'نعم']) await refusalOf(lines('handle,active', `h,${text}`))
  })

  it('may have values up to a maximum length in characters, not code units', async () => {
    const limits = { handle: 100, name: 200, description: 5000, variant_label: 100, sku: 64 }
    for (const [column, max] of Object.entries(limits)) {
      expect(await cell(column, '😀'.repeat(max))).to.equal('😀'.repeat(max))
      const message = `The value can have at most ${max} characters.`
      const fault = { row: 2, column, code: 'VALIDATION_ERROR', message }
      expect(await faultsOf(fileWith(column, 'é'.repeat(max + 1)))).to.deep.equal([fault])
    }
    expect(await messageOf(lines('handle,name', 'h,a\0b'))).to.match(/Row 2, name: .*control characters/)
    expect(await messageOf(lines('handle,name', 'h,a\uD800b'))).to.match(/valid Unicode/)
  })

  it('is rejected with a list of all errors, including those above an unreadable row', async () => {
    const csv = lines(full, ',x,,,,-,,', 'a,,,,,1,2', 'b,,,,,1,2,true,9', 'c,,,,,x,y,z', 'd,"x"y,,,,,,')
    const faults = await faultsOf(csv)
    const found = ['2 handle', '2 price', '4 null', '5 price', '5 stock', '5 active', '6 null']
    expect(faults.map(({ row, column }) => `${row} ${column}`)).to.deep.equal(found)
    const open = await messageOf(lines('handle,name', 'a,"b', 'c'))
    expect(open).to.match(/^Row 2: The closing quote is missing/)
    expect(await messageOf(lines('handle,name', 'a,b', '', 'c,12" pizza'))).to.match(/^Row 4: .*in quotes/)
    const endless = `a,"${'x,y\n'.repeat(20_000)}`
    expect(await messageOf(lines('handle,name', endless))).to.match(/^Row 2: .*too long/)
    for (const row of [','.repeat(500_000), `a,${'x;'.repeat(50_000)}`])
      expect(await messageOf(lines('handle,name', 'a,b', row))).to.match(/^Row 3: .*too long/)
    const unnamed = await messageOf(lines('handle,', 'a,', 'b,c'))
    expect(unnamed).to.match(/^Row 3: Cell 2 of this row is in a column without a name/)
  })

  it('is rejected with a list of the first hundred errors and a count of the rest', async () => {
    const { details } = (await refusalOf(lines('handle,price', ...Array(150).fill('a,x')))).extras
    expect((details as { faults: unknown[] }).faults).to.have.length(100)
    expect(details).to.include({ more: 50 })
  })

  it("gets one fault for all columns of a shop system's export that we don't know", async () => {
    const others = Array.from({ length: 30 }, (_, index) => `Option${index}`)
    const faults = await faultsOf(lines(['handle', ...others].join(), ''))
    expect(faults.map(({ row, column }) => [row, column])).to.deep.equal([[1, null]])
    expect(faults[0]?.message).to.match(/^Unknown columns: "option0", .*"option9" and 20 more\. /)
  })

  it('is rejected if the header has an unknown, repeated or missing column', async () => {
    for (const blank of ['', lines('', full), lines(';;', 'a;b;c')])
      expect(await messageOf(blank)).to.match(/Row 1: The first row is blank/)
    const messages = {
      'name,price': 'column handle is missing',
      'handle\tname': 'column: "handle\\tname"',
      'handle,name,Name': 'column name occurs more than once',
      [`handle${','.repeat(1000)}`]: 'has 1001 cells',
      [lines('sep=;', full)]: 'Remove the sep= line',
    }
    for (const [header, message] of Object.entries(messages))
      expect(await messageOf(header)).to.include(message)
    expect(await faultsOf('Prix,Stock,stock')).to.have.length(3)
  })

  it("is rejected if it isn't UTF-8, with an error that names the format to save it in", async () => {
    const latin1 = Buffer.from(lines('handle;name', 'a;thé'), 'latin1')
    expect(await messageOf(latin1)).to.match(/not UTF-8\. .*CSV UTF-8/)
    const utf16 = Buffer.from(lines('handle;name', 'a;thé'), 'utf16le')
    const withMark = Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])
    for (const bytes of [utf16, withMark, Buffer.from(utf16).swap16()])
      expect(await messageOf(bytes)).to.match(/UTF-16\. .*CSV UTF-8/)
    for (const csv of [undefined, null, 5, ['handle'], {}])
      expect((await refusalOf(csv)).extras.param).to.equal('csv')
  })

  it('may have up to 5 000 rows and does not block the process while they are read', async () => {
    const rowOf = (_: unknown, n: number) => `h${n},Name ${n},"Some ""text"", of it",L,S${n},${n},7,oui`
    const many = (count: number) => lines(full, ...Array.from({ length: count }, rowOf))
    const max = many(5000)
    const iterations = await countLoopIterations(async () => expect(await read(max)).to.have.length(5000))
    // At least one event loop iteration per 64 KiB.
    expect(iterations).to.be.greaterThan(max.length / 65_536)
    const tooMany = 'Row 5002: A file can have at most 5000 rows below the header.'
    expect(await messageOf(many(5001))).to.equal(tooMany)
    const blank = lines('handle', 'a', ...Array(50_000).fill(' '), '\n'.repeat(100_000), 'b')
    expect(await read(blank)).to.have.length(2)
    expect(await messageOf(lines('handle', ...Array(50_001).fill(' ')))).to.match(/50000 blank rows/)
  })
})
