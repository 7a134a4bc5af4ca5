import { parse } from 'csv-parse/sync'
import { type CsvCell, toCsvHeader, toCsvRows } from '../../src/platform/csv.ts'

describe('A CSV file for spreadsheets', () => {
  const cells = (rows: CsvCell[][], delimiter: ',' | ';') => parse(toCsvRows(rows, delimiter), { delimiter })

  it('contains no text that a spreadsheet could execute, with any delimiter', () => {
    const texts = ['=1+1', '+1', '-2+3', '@SUM(A1)', '\tx', '\rx', '  =1', '\u00A0=1', '\u200B=1', '\u22121']
    const fullWidth = ['＝1+1', '＋1', '－1', '＠a']
    const dangerous = {
      ...Object.fromEntries([...texts, ...fullWidth].map((text) => [text, `'${text}`])),
      '\n=1': "'\n'=1",
      'a;=1+1;b': "a;'=1+1;b",
      'a, -1': "a,' -1",
      'a\r\n@b': "a\r\n'@b",
      'a\t+b': "a\t'+b",
      'a|=1+1': "a|'=1+1",
      'a;"=1+1"': `a;'"=1+1"`,
      'a; ""=1': `a;' ""=1`,
    }
    for (const delimiter of [',', ';'] as const) {
      const rows = Object.keys(dangerous).map((text) => [text])
      expect(cells(rows, delimiter).flat()).to.deep.equal(Object.values(dangerous))
    }
  })

  it('preserves any other text with quotes, delimiters and line breaks', () => {
    const texts = ['', '007', "l'été", 'a"b', '""', 'a;b,c', 'a; 😀', 'a\r\nb', ' x ', 'a=b-c+d@e', 'شكرا']
    for (const delimiter of [',', ';'] as const) expect(cells([texts], delimiter)).to.deep.equal([texts])
  })

  it('keeps every text unchanged for a program that reads the file again', () => {
    const texts = ['=1+1', 'a;=1', '\tx', 'a"b', '']
    expect(parse(toCsvRows([texts], ';', 'program'), { delimiter: ';' })).to.deep.equal([texts])
  })

  it('is written in time proportional to its length, whatever blanks and line breaks it contains', () => {
    const texts = ['\n', '\t', ',\u200B', '\r\n', ';\n ', '|"'].map((blanks) => `${blanks.repeat(100_000)}a`)
    const before = process.cpuUsage()
    toCsvRows([texts], ',')
    expect(process.cpuUsage(before).user / 1000).to.be.below(2000)
  })

  it('contains unquoted numbers, with a decimal comma if the separator is a semicolon', () => {
    const row = [-5, { centimes: 123_450 }, { centimes: -1 }, { centimes: 9_007_199_254_740_991 }, null, '1']
    expect(toCsvRows([row], ',')).to.equal('-5,1234.50,-0.01,90071992547409.91,,"1"\r\n')
    expect(toCsvRows([row], ';')).to.equal('-5;1234,50;-0,01;90071992547409,91;;"1"\r\n')
    expect(toCsvRows([], ';')).to.equal('')
  })

  it('starts with a byte order mark only if the separator is a semicolon', () => {
    expect(toCsvHeader(['Numéro', 'b'], { delimiter: ',', hasBom: false })).to.equal('Numéro,b\r\n')
    expect(toCsvHeader(['Numéro', 'b'], { delimiter: ';', hasBom: true })).to.equal('\uFEFFNuméro;b\r\n')
  })
})
