// Why something did not work. The region is there from the beginning, so that screen readers say what comes into it.

export const Fault = ({ text }: { readonly text: string | null }) => (
  <p class="fault" role="alert">
    {text}
  </p>
);
