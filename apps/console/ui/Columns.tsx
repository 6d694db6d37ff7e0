/** The head of a table: a word over each column. */

export interface Column {
  readonly word: string
  /** Aligned right, for figures. */
  readonly isFigure?: boolean
  /** Hidden on small screens. */
  readonly isWide?: boolean
  /** For screen readers only, over actions. */
  readonly isUnseen?: boolean
  readonly className?: string
}

export const Columns = ({ columns }: { readonly columns: ReadonlyArray<Column> }) => (
  <thead>
    <tr>
      {columns.map(({ className = "", isFigure = false, isUnseen = false, isWide = false, word }) => (
        <th
          key={word}
          scope="col"
          className={[...(isFigure ? ["Table-figure"] : []), ...(isWide ? ["Table-wide"] : []), className]
            .join(" ")
            .trim()}
        >
          {isUnseen ? <span className="unseen">{word}</span> : word}
        </th>
      ))}
    </tr>
  </thead>
)
