import { expect } from 'chai'
import { filesIn, read, sources } from '../dev/source-files.ts'
import { pages } from './docs/pages.ts'

interface Refused {
  /** Banned words of an identifier: `endpointReceiver` has the words endpoint and receiver. */
  name?: RegExp
  /** Banned in comments, test titles and pages where the word has the glossary's sense. */
  prose?: RegExp
}

/** The glossary's column "Do not use" (CONTRIBUTING.md), and how its words are recognised. */
const refused: Record<string, Refused> = {
  move: { name: /^move$/, prose: /\bmoves? of (an|the) intent\b/i },
  'under way': { prose: /\bunder way\b/i },
  receiver: { name: /^receivers?$/, prose: /\breceivers?\b/i },
  try: { name: /^tries$/, prose: /\b(a|each|every|the|its|first|last|one) try\b/i },
  call: {},
  redrive: { name: /^redrive/, prose: /\bre-?driv/i },
  'send again': { prose: /\b(sends?|sent) again by (hand|staff)\b/i },
  nudge: { name: /^nudge/, prose: /\bnudg/i },
  lane: { name: /^lanes?$/, prose: /\blanes?\b/i },
  trip: { name: /^trips?$/, prose: /(?<!round )\btrips?\b/i },
  place: { name: /^places?$/, prose: /\b(asks? for|keeps?|takes?|has|have) (a|its|their) place\b/i },
  room: { name: /^rooms?$/, prose: /\b(no|has|have|find|finds|there is|is there) room\b/i },
  turn: { name: /^turn$/, prose: /\b(its|their|next|whose) turn\b/i },
  tries: { prose: /\b(its|their|more|five|counted|failed|wrong) tries\b/i },
  guesses: { name: /^guess(es)?$/, prose: /\b(its|their|more|five|counted|failed|wrong) guesses\b/i },
  until: { name: /^until$/ },
  patience: { name: /^(patience|patient)$/, prose: /\bpatien(ce|t|tly)\b/i },
  'clocks apart': { prose: /\bclocks? (are |is )?apart\b/i },
  asked: { name: /^(asked|ask|asking)$/, prose: /\basked\b/i },
  answer: { name: /^answer(s|ed|ing)?$/, prose: /\banswer(s|ed|ing)?\b/i },
  told: { name: /^(told|tell)$/, prose: /\b(is|are|was|were|be|been|being|gets?|not) told\b/i },
  tally: { name: /^(tally|tallies)$/, prose: /\btall(y|ies)\b/i },
  mark: { prose: /\bcount marks?\b/i },
  house: { name: /^house$/, prose: /\bthe house\b/i },
  everybody: { name: /^(everybody|everyone)$/, prose: /\bevery(body|one)\b/i },
  'whoever pays': { name: /^(whoever|somebody|someone|nobody)$/, prose: /\b(whoever|somebody|nobody)\b/i },
}

/** Names given by other packages or the wallet provider contract. To place an order is the field's own term. */
const given = /^(validUntil|waitUntil\w*|moveTo\w*|place(Order|Orders|WithRetries|Directly)|tries)$/

interface Comment {
  text: string
  line: number
}

const commentPattern = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*/g

/** Without comment signs. */
const commentsOf = (text: string): Comment[] =>
  [...text.matchAll(commentPattern)].map(({ 0: comment, index }) => ({
    text: comment
      .replaceAll(/^\s*(\/\*\*?|\*\/|\*(?!\/)|\/\/)\s?|\s*\*\/$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
    line: text.slice(0, index).split('\n').length,
  }))

const stringPattern = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g

/** A template's text up to, between or after its expressions. */
const templatePattern = /(?<=[`}])[^`${}]*(?=`|\$\{)/g

const namesOf = (text: string): Set<string> =>
  new Set(
    text
      .replaceAll(commentPattern, '')
      .replaceAll(stringPattern, "''")
      .replaceAll(templatePattern, '')
      .match(/(?<![\w$])[A-Za-z_$][\w$]*(?![\w$])/g),
  )

/** `leaseEndsAt` has the words lease, ends, at. */
const wordsOf = (name: string): string[] =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase())

const titlesOf = (text: string): string[] =>
  [...text.matchAll(/\b(?:it|describe)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)].map(
    ([, , title = '']) => title,
  )

const faultsOf = (text: string): string[] =>
  Object.entries(refused).flatMap(([word, { prose }]) => (prose?.test(text) ? [`"${word}" in: ${text}`] : []))

const isRefusedName = (name: string): boolean =>
  !given.test(name) &&
  wordsOf(name).some((word) => Object.values(refused).some(({ name: pattern }) => pattern?.test(word)))

describe('The language check', () => {
  const code = [
    ...sources,
    ...['cli', 'test', 'dev', 'bench', 'ops'].flatMap((folder) => filesIn(folder)),
  ].filter((file) => file !== 'test/language.test.ts')

  it('bans exactly the words listed under “Do not use” in the glossary', () => {
    const [, glossary = ''] = read('CONTRIBUTING.md').split('### Glossary')
    const rows = [...glossary.matchAll(/^\| (?!Use|-).+ \| .+ \| (.*) ?\|$/gm)]
    const words = rows.flatMap(([, cell = '']) => cell.split(',').map((word) => word.trim()))
    expect(words.filter((word) => word !== '').toSorted()).to.deep.equal(Object.keys(refused).toSorted())
  })

  it('recognises comments, names and test titles', () => {
    expect(
      commentsOf('/** One. */\nconst a = 1 // Two\n// Three\n// four').map(({ text }) => text),
    ).to.deep.equal(['One.', 'Two Three four'])
    expect([...namesOf("const askedBy = 'told' // place")]).to.deep.equal(['const', 'askedBy'])
    expect(wordsOf('leaseEndsAt')).to.deep.equal(['lease', 'ends', 'at'])
    expect(titlesOf("it('returns 409', () => {})")).to.deep.equal(['returns 409'])
    for (const wrong of ['askedBy', 'openReceivers', 'leaseUntil', 'Place'])
      expect(wrong).to.satisfy(isRefusedName)
    expect(faultsOf('Whoever asked is told.')).to.have.length(3)
  })

  it('finds no banned words in names', () => {
    const wrong = code.flatMap((file) =>
      [...namesOf(read(file))].filter(isRefusedName).map((name) => `${file}: ${name}`),
    )
    expect(wrong.join('\n')).to.equal('')
  })

  it('finds no banned words in comments', () => {
    const wrong = code.flatMap((file) =>
      commentsOf(read(file)).flatMap(({ text, line }) =>
        faultsOf(text).map((fault) => `${file}:${line} ${fault}`),
      ),
    )
    expect(wrong.join('\n')).to.equal('')
  })

  it('finds no banned words in test titles', () => {
    const wrong = code.flatMap((file) =>
      titlesOf(read(file)).flatMap((title) => faultsOf(title).map((fault) => `${file} ${fault}`)),
    )
    expect(wrong.join('\n')).to.equal('')
  })

  it('finds no banned words on pages', () => {
    const wrong = pages.flatMap((page) =>
      read(page)
        .replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
        .split('\n')
        .filter((line) => !(page === 'CONTRIBUTING.md' && line.startsWith('|')))
        .flatMap((line) => faultsOf(line).map((fault) => `${page} ${fault}`)),
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
