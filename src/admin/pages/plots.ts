import { html } from 'ghtml'
import type { Slice } from '../../activity/read.ts'
import { type FigureName, figureNames, figures, mayBeTooLow, valueOf } from './activity-words.ts'

/** The unit of the bars, and their texts. `labelOf` returns the label below a bar, or null for a bar without one. */
export interface Scale {
  unit: 'hour' | 'day'
  nameOf(slice: Slice): string
  labelOf(slice: Slice, index: number, bars: number): string | null
}

/** The width of a plot in SVG units, about the width of a phone screen in pixels. */
const width = 336
const height = 108
const ground = 84
/** The margin on both sides leaves space for the labels of the first and the last bar. */
const margin = 20

/**
 * Returns a bar chart for each figure, without scripts. Each figure has its own chart, because in a shared one, a few
 * dead deliveries would be invisible next to many payments.
 */
export const plots = (slices: readonly Slice[], total: Slice, scale: Scale): string =>
  html`<div class="plots">!${figureNames.map((name) => plot(name, slices, total, scale))}</div>`

function plot(name: FigureName, slices: readonly Slice[], total: Slice, scale: Scale): string {
  const { title, colour, format } = figures[name]
  const max = Math.max(...slices.map((slice) => slice[name]))
  const label = `${title} per ${scale.unit}: ${format(total[name])} in total, at most ${format(max)} in one ${scale.unit}.`
  return html`<figure class="card">
    <figcaption><b>${title}: ${valueOf(total, name)}</b> <span class="faint">peak: ${format(max)} per ${scale.unit}</span></figcaption>
    <svg viewBox="0 0 ${width} ${height}" class="${colour}" role="img" aria-label="${label}">
      <line class="axis" x1="0" x2="${width}" y1="${ground}" y2="${ground}" />
      !${slices.map((slice, index) => bar(name, slice, max, index, slices.length, scale))}
    </svg>
  </figure>`
}

function bar(
  name: FigureName,
  slice: Slice,
  max: number,
  index: number,
  bars: number,
  { nameOf, labelOf }: Scale,
): string {
  const step = (width - 2 * margin) / bars
  const middle = margin + (index + 0.5) * step
  const wide = step - 2
  const value = slice[name]
  // Any bar with a value above zero is at least 2 units tall, so that it stays visible.
  const tall = value === 0 ? 0 : Math.max(2, Math.round((value / max) * (ground - 4)))
  const label = labelOf(slice, index, bars)
  return html`!${mayBeTooLow(slice, name) ? mark(middle) : ''}<rect x="${(middle - wide / 2).toFixed(1)}" y="${ground - tall}" width="${wide.toFixed(1)}" height="${tall}"><title>${nameOf(slice)}: ${valueOf(slice, name)}</title></rect>
    !${label === null ? '' : tick(middle, label)}`
}

/** Returns the star above a bar that is not completely counted. */
const mark = (middle: number): string => html`<text x="${middle.toFixed(1)}" y="14" text-anchor="middle">*</text>`

const tick = (middle: number, label: string): string =>
  html`<line class="axis" x1="${middle.toFixed(1)}" x2="${middle.toFixed(1)}" y1="${ground}" y2="${ground + 5}" />
    <text x="${middle.toFixed(1)}" y="${height - 5}" text-anchor="middle">${label}</text>`
