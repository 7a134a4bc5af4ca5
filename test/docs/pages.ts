import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')

export const pages = `
  README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md bench/README.md bench/results.md
  ops/kubernetes/README.md ops/docker-compose.md ops/proxy.md ops/wallet-bridge/README.md test/README.md
`
  .trim()
  .split(/\s+/)
  .concat(
    readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`)
      .toSorted(),
  )

export type Block = { page: string; line: number; heading: string; fence: string; text: string }
const lineOf = ({ page, line }: Block): string => `${page}:${line}`
export const nameOf = (block: Block) => `${lineOf(block)} ${block.text.split('\n').find(Boolean) ?? ''}`

export const blocksOf = (page: string): Block[] => {
  const blocks: Block[] = []
  let heading = ''
  let open: Block | null = null
  for (const [at, line] of textOf(page).split('\n').entries()) {
    const [, fence] = /^\s*```(\w*)\s*$/.exec(line) ?? []
    if (open === null && fence === undefined) heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading
    else if (open === null) open = { page, line: at + 1, heading, fence: fence ?? '', text: '' }
    else if (fence === undefined) open.text += `${line}\n`
    else {
      blocks.push(open)
      open = null
    }
  }
  if (open !== null) throw new Error(`${lineOf(open)} is not closed`)
  return blocks
}

export const blocks: Block[] = pages.flatMap(blocksOf)
