export type Violations = ReturnType<typeof createViolations>
const maxPrinted = 5
const maxBytes = 1500
type Violation = { sentence: string; sent: Buffer | null }

export function createViolations() {
  const found = new Map<string, Violation[]>()
  return {
    add(check: string, sentence: string, sent: Buffer | null): void {
      found.set(check, [...(found.get(check) ?? []), { sentence, sent }])
    },
    count: () => [...found.values()].reduce((sum, violations) => sum + violations.length, 0),
    checks: () => [...found.keys()],
    lines: () =>
      [...found].flatMap(([check, violations]) => [
        `\n${check}: ${violations.length} violations`,
        ...violations.slice(0, maxPrinted).flatMap(linesOf),
        ...(violations.length > maxPrinted ? [`  and ${violations.length - maxPrinted} not printed`] : []),
      ]),
  }
}

const linesOf = ({ sentence, sent }: Violation): string[] =>
  sent === null ? [`  ${sentence}`] : [`  ${sentence}`, `    ${repetition(sent)}`]
const keys = /\b[sp]k_(test|live)_\w+/g

/** A shell command that sends the same bytes to `$PORT`, with `$KEY` for the key, which is deleted. */
function repetition(sent: Buffer): string {
  const text = sent
    .subarray(0, maxBytes)
    .toString('latin1')
    .replaceAll('%', '%%')
    .replaceAll('\\', '\\\\')
    .replaceAll("'", '\\x27')
    .replaceAll(/[^\x20-\x7e]/g, (each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll(keys, `'"$KEY"'`)
  const rest = sent.length > maxBytes ? ` # and ${sent.length - maxBytes} bytes more` : ''
  return `printf '${text}' | nc -q 2 127.0.0.1 $PORT${rest}`
}
