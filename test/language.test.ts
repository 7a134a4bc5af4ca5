import { filesIn, read, sources } from '../dev/source-files.ts'

/** Words from the column "Not" of the concepts (CONTRIBUTING.md). `endpointReceiver` has the words endpoint and receiver. */
const refused: Record<string, RegExp> = {
  move: /^move$/,
  receiver: /^receivers?$/,
  try: /^tries$/,
  redrive: /^redrive/,
  nudge: /^nudge/,
  lane: /^lanes?$/,
  trip: /^trips?$/,
  place: /^places?$/,
  room: /^rooms?$/,
  turn: /^turn$/,
  guesses: /^guess(es)?$/,
  until: /^until$/,
  patience: /^(patience|patient)$/,
  asked: /^(asked|ask|asking)$/,
  answer: /^answer(s|ed|ing)?$/,
  told: /^(told|tell)$/,
  tally: /^(tally|tallies)$/,
  house: /^house$/,
  everybody: /^(everybody|everyone)$/,
  'whoever pays': /^(whoever|somebody|someone|nobody)$/,
}

/** Names given by other packages or the wallet provider contract. To place an order is the field's own term. */
const given = /^(validUntil|waitUntil\w*|moveTo\w*|place(Order|Orders|WithRetries|Directly)|tries)$/
const commentPattern = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*/g
const stringPattern = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g
const templatePattern = /(?<=[`}])[^`${}]*(?=`|\$\{)/g

const namesOf = (text: string): Set<string> =>
  new Set(
    text
      .replaceAll(commentPattern, '')
      .replaceAll(stringPattern, "''")
      .replaceAll(templatePattern, '')
      .match(/(?<![\w$])[A-Za-z_$][\w$]*(?![\w$])/g),
  )

const wordsOf = (name: string): string[] =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase())
const isRefusedName = (name: string): boolean =>
  !given.test(name) &&
  wordsOf(name).some((word) => Object.values(refused).some((pattern) => pattern.test(word)))

describe('The language check', () => {
  const code = [
    ...sources,
    ...['cli', 'test', 'dev', 'bench', 'ops'].flatMap((folder) => filesIn(folder)),
  ].filter((file) => file !== 'test/language.test.ts')

  it('bans only words listed under “Not” beside a concept', () => {
    const [, concepts = ''] = read('CONTRIBUTING.md').split('## Concepts')
    const rows = [...concepts.matchAll(/^\| (?!Concept|-).+ \| .+ \| (.*) ?\|$/gm)]
    const words = rows.flatMap(([, cell = '']) => cell.split(',').map((word) => word.trim()))
    expect(words).to.include.members(Object.keys(refused))
  })

  it('recognises names', () => {
    expect([...namesOf("const askedBy = 'told' // place")]).to.deep.equal(['const', 'askedBy'])
    expect(wordsOf('leaseEndsAt')).to.deep.equal(['lease', 'ends', 'at'])
    for (const wrong of ['askedBy', 'openReceivers', 'leaseUntil', 'Place'])
      expect(wrong).to.satisfy(isRefusedName)
  })

  it('finds no banned words in names', () => {
    const wrong = code.flatMap((file) =>
      [...namesOf(read(file))].filter(isRefusedName).map((name) => `${file}: ${name}`),
    )
    expect(wrong.join('\n')).to.equal('')
  })

  it('finds no comment line longer than 120 columns', () => {
    const wrong = code.flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, index) =>
          line.length > 120 && /^\s*(\/\/|\/?\*)/.test(line) ? [`${file}:${index + 1}`] : [],
        ),
    )
    expect(wrong.join('\n')).to.equal('')
  })
})
