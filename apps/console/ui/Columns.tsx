/** The head of a table: a label above each column. */

export interface Column {
  readonly word: string
  /** Aligned right, for figures. */
  readonly isFigure?: boolean
  /** Hidden on small screens. */
  readonly isWide?: boolean
  /** Visible to screen readers only, above actions. */
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
