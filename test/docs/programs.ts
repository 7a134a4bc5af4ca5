/** How a whole program of a page is run: in docs/getting-started.md and docs/pagination.md, each under the heading of its language. */
export interface Runtime {
  name: string
  /** The word after the ``` of its code block. */
  fence: string
  /** Ends with 0 where the language is on this machine. */
  probe: [command: string, ...args: string[]]
  file: string
  run: [command: string, ...args: string[]]
}

export const runtimes: Runtime[] = [
  {
    name: 'curl',
    fence: 'sh',
    probe: ['curl', '--version'],
    file: 'pay.sh',
    run: ['sh', '-e', 'pay.sh'],
  },
  {
    name: 'Node',
    fence: 'js',
    probe: [process.execPath, '--version'],
    file: 'pay.mjs',
    run: [process.execPath, 'pay.mjs'],
  },
  {
    name: 'Python',
    fence: 'python',
    probe: ['python3', '--version'],
    file: 'pay.py',
    run: ['python3', 'pay.py'],
  },
  { name: 'PHP', fence: 'php', probe: ['php', '--version'], file: 'pay.php', run: ['php', 'pay.php'] },
]

/** The pages that have programs, and in which languages. */
export const programPages = {
  'docs/getting-started.md': ['curl', 'Node', 'Python', 'PHP'],
  'docs/pagination.md': ['Node', 'Python'],
} as const
